// Made from the OpenAPI document by "npm run example:types"; not edited by hand.

export interface paths {
  '/internal/agent/organizations/{organizationId}/artifacts/{sha256}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put: operations['agentArtifactsStore'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/agent/organizations/{organizationId}/durability/{namespace}/{key}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['agentDurabilityRead'];
    put: operations['agentDurabilityPut'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/agent/organizations/{organizationId}/execution': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['executionRead'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/agent/organizations/{organizationId}/execution/outcome': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put: operations['executionStage'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/agent/organizations/{organizationId}/tasks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['tasksAgentList'];
    put?: never;
    post: operations['tasksAgentCreate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/agent/organizations/{organizationId}/tasks/{taskRef}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['tasksAgentRead'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/chat-turns/claim': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['internalChatTurnsClaim'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/chat-turns/{turnId}/append': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['internalChatTurnsAppend'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/chat-turns/{turnId}/cancelled': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['internalChatTurnsCancelled'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/chat-turns/{turnId}/complete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['internalChatTurnsComplete'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/chat-turns/{turnId}/fail': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['internalChatTurnsFail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/chat-turns/{turnId}/heartbeat': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['internalChatTurnsHeartbeat'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/chat-turns/{turnId}/running': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['internalChatTurnsRunning'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/run-requests/claim': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['internalRunRequestsClaim'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/run-requests/{runRequestId}/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['internalRunRequestsRelease'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/run-requests/{runRequestId}/start': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['internalRunRequestsStart'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/runs/{runId}/complete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['runCompletionComplete'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/runs/{runId}/fail': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['runCompletionFail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/runs/{runId}/heartbeat': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['runLeasesHeartbeat'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/runs/{runId}/logs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['runLogsRuntimeAppend'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/runs/{runId}/running': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['runLeasesRunning'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/workers/{workerId}/recover': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['workersRecover'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['organizationsCreate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/agent-profiles': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['agentProfilesList'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/runs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['runsList'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/runs/{id}/artifacts/{sha256}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['runArtifactsRead'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/runs/{id}/logs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['runsLogs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/tasks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['tasksCreate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/tasks/{taskRef}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['tasksRead'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/tasks/{taskRef}/graph': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['tasksGraph'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    AcceptanceCriterionDto: {
      /** @enum {string} */
      kind: 'text';
      description: string;
    };
    AddDependencyOperationDto: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'add_dependency';
      task: string;
      dependsOn: string;
      /** @default true */
      required?: boolean;
      condition?: components['schemas']['CreateConditionDto'];
    };
    AgentProfileConfigDto: {
      /** @enum {string} */
      defaultRunMode: 'plan' | 'execute' | 'verify';
      toolPolicyKeys: string[];
      memoryRootUri: string;
      runtime: components['schemas']['RuntimeDto'];
      skillKeys: string[];
      mcpServerKeys: string[];
      catalogSource: components['schemas']['CatalogSourceDto'];
    };
    AgentProfileDto: {
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      organizationId: string;
      key: string;
      name: string;
      /** @enum {string} */
      kind: 'operator' | 'chat' | 'department';
      /** @enum {string|null} */
      department: 'growth' | 'engineering' | 'support' | null;
      /** @enum {string} */
      status: 'enabled' | 'disabled';
      rootUri: string;
      instructionsUri: string;
      config: components['schemas']['AgentProfileConfigDto'];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    AppendDto: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      partId: string;
      offset: number;
      text: string;
    };
    AppendLogsDto: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      entries: components['schemas']['LogEntryDto'][];
    };
    AppendedDto: {
      /** @enum {string} */
      status: 'pending' | 'streaming' | 'cancelling' | 'complete' | 'failed' | 'cancelled';
      revision: number;
      cancelRequested: boolean;
      length: number;
    };
    AppendedLogsDto: {
      acceptedThrough: number;
      missing: number[];
    };
    ArtifactDto: {
      kind: string;
      name: string;
      path: string;
      uri?: string;
      mediaType?: string;
      sizeBytes?: number;
      sha256?: string;
      summary?: string;
    };
    ArtifactInputDto: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'artifact';
      /** Format: uuid */
      taskId: string;
      artifactKind: string;
    };
    AttachmentDto: {
      version: number;
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      organizationId: string;
      /** Format: uuid */
      chatId: string;
      fileName: string;
      mediaType: string;
      sizeBytes: number;
      sha256: string;
      /** Format: date-time */
      createdAt: string;
      uri: string;
    };
    AttachmentInputDto: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'attachment';
      /** Format: uuid */
      chatId: string;
      /** Format: uuid */
      attachmentId: string;
    };
    BlockerDto: {
      /** @enum {string} */
      kind: 'dependency' | 'dependency_failed' | 'handoff' | 'action' | 'integration' | 'operator';
      /** Format: date-time */
      since: string;
      /** Format: uuid */
      dependsOnTaskId?: string;
      /** Format: uuid */
      inboxItemId?: string;
      /** Format: uuid */
      actionId?: string;
      connectorKey?: string;
      requirement?: {
        [key: string]: unknown;
      };
    };
    BudgetDto: {
      maxAgentRuns: number;
      maxAttemptsPerPhase: number;
      maxReplans: number;
      maxActions: number;
    };
    CancelTaskOperationDto: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'cancel_task';
      task: string;
    };
    CancelledTurnDto: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      usage?: components['schemas']['UsageDto'];
    };
    CatalogSourceDto: {
      templateKey: string;
      revision: string;
      /** @enum {string} */
      updatePolicy: 'auto' | 'pinned';
    };
    ChatDto: {
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      organizationId: string;
      title: string;
      /** @enum {string} */
      status: 'open' | 'archived';
      summary: string | null;
      harnessSessionId: string | null;
      settings: components['schemas']['ChatSettingsDto'];
      /** Format: date-time */
      lastMessageAt: string | null;
      /** Format: date-time */
      archivedAt: string | null;
      isOnboardingChat: boolean;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    ChatSettingsDto: {
      pinnedTaskIds: string[];
    };
    CheckpointKeyDto: {
      namespace: string;
      key: string;
      version: number;
    };
    ClaimDto: {
      workerId: string;
      /** Format: uuid */
      bootId: string;
      requestKey?: string;
      organizationIds?: string[];
      /** @default 1 */
      limit?: number;
      /** @default 0 */
      waitSeconds?: number;
      profileKeys?: string[];
      modes?: ('plan' | 'execute' | 'verify')[];
      executionClasses?: ('standard' | 'background')[];
    };
    ClaimTurnsDto: {
      workerId: string;
      /** Format: uuid */
      bootId: string;
      requestKey?: string;
      organizationIds?: string[];
      /** @default 1 */
      limit?: number;
      /** @default 0 */
      waitSeconds?: number;
      profileKeys?: string[];
    };
    ClaimedDto: {
      /** Format: uuid */
      organizationId: string;
      /** Format: uuid */
      runRequestId: string;
      /** Format: uuid */
      taskId: string;
      /** Format: uuid */
      agentProfileId: string;
      /** @enum {string} */
      mode: 'plan' | 'execute' | 'verify';
      priority: number;
      leaseToken: string;
      /** Format: date-time */
      claimExpiresAt: string;
    };
    ClaimedTurnDto: {
      /** Format: uuid */
      organizationId: string;
      /** Format: uuid */
      chatId: string;
      /** Format: uuid */
      turnId: string;
      /** Format: uuid */
      assistantMessageId: string;
      /** Format: uuid */
      userMessageId: string;
      /** Format: uuid */
      agentProfileId: string;
      leaseToken: string;
      /** Format: date-time */
      leaseExpiresAt: string;
      heartbeatIntervalMs: number;
      executionToken: string;
      attempt: number;
    };
    CompleteRunDto: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      output: components['schemas']['OutputDto'];
      usage?: components['schemas']['UsageDto'];
      receipts?: components['schemas']['ReceiptDto'][];
      harness?: string;
      workspaceUri?: string;
      /** @enum {string} */
      logState?: 'complete' | 'partial' | 'none';
    };
    CompleteTurnDto: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      parts?: components['schemas']['MessagePartDto'][];
      usage?: components['schemas']['UsageDto'];
      title?: string;
      summary?: string;
      harnessSessionId?: string;
    };
    ConstraintsDto: {
      allowedIntegrations: string[];
      blockedDomains: string[];
      approvalRequiredForRisk: ('low' | 'external' | 'high')[];
    };
    CreateBudgetDto: {
      /** @default 20 */
      maxAgentRuns?: number;
      /** @default 3 */
      maxAttemptsPerPhase?: number;
      /** @default 3 */
      maxReplans?: number;
      /** @default 20 */
      maxActions?: number;
    };
    CreateConditionDto: {
      /** @enum {string} */
      kind: 'completion' | 'artifact';
      artifactKind?: string;
    };
    CreateDependencyDto: {
      taskRef: string;
      /** @default true */
      required?: boolean;
      condition?: components['schemas']['CreateConditionDto'];
    };
    CreateOrganizationDto: {
      name: string;
      website: string;
      timezone: string;
      defaultCurrency: string;
    };
    CreateRootTaskDto: {
      title: string;
      spec: components['schemas']['CreateTaskSpecDto'];
      /** Format: uuid */
      ownerAgentProfileId?: string;
      ownerAgentProfileKey?: string;
      /**
       * @default execute
       * @enum {string}
       */
      phase?: 'plan' | 'execute';
      /** @default 0 */
      priority?: number;
      /** Format: date-time */
      scheduledAt?: string;
      /** Format: date-time */
      dueAt?: string;
      dependsOn?: components['schemas']['CreateDependencyDto'][];
      dedupeKey?: string;
    };
    CreateTaskDto: {
      title: string;
      spec: components['schemas']['CreateTaskSpecDto'];
      /** Format: uuid */
      ownerAgentProfileId?: string;
      ownerAgentProfileKey?: string;
      /**
       * @default execute
       * @enum {string}
       */
      phase?: 'plan' | 'execute';
      /** @default 0 */
      priority?: number;
      /** Format: date-time */
      scheduledAt?: string;
      /** Format: date-time */
      dueAt?: string;
      dependsOn?: components['schemas']['CreateDependencyDto'][];
      dedupeKey?: string;
      parentRef?: string;
    };
    CreateTaskOperationDto: {
      title: string;
      spec: components['schemas']['CreateTaskSpecDto'];
      /** Format: uuid */
      ownerAgentProfileId?: string;
      ownerAgentProfileKey?: string;
      /**
       * @default execute
       * @enum {string}
       */
      phase?: 'plan' | 'execute';
      /** @default 0 */
      priority?: number;
      /** Format: date-time */
      scheduledAt?: string;
      /** Format: date-time */
      dueAt?: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'create_task';
      ref: string;
      parent?: string;
      dependsOn?: components['schemas']['PlanDependencyDto'][];
    };
    CreateTaskSpecDto: {
      objective: string;
      inputs?: (
        | components['schemas']['TextInputDto']
        | components['schemas']['AttachmentInputDto']
        | components['schemas']['ArtifactInputDto']
        | components['schemas']['UriInputDto']
      )[];
      acceptanceCriteria?: components['schemas']['AcceptanceCriterionDto'][];
      budget?: components['schemas']['CreateBudgetDto'];
      /**
       * @default none
       * @enum {string}
       */
      verification?: 'none' | 'required';
    };
    CreatedOrganizationDto: {
      organization: components['schemas']['OrganizationDto'];
      agentProfiles: components['schemas']['AgentProfileDto'][];
      chat: components['schemas']['ChatDto'];
    };
    DepartmentDto: {
      enabled: boolean;
    };
    DepartmentsDto: {
      growth: components['schemas']['DepartmentDto'];
      engineering: components['schemas']['DepartmentDto'];
      support: components['schemas']['DepartmentDto'];
    };
    DependencyConditionDto: {
      /** @enum {string} */
      kind: 'completion' | 'artifact';
      artifactKind?: string;
    };
    DependencyFailureDto: {
      /** @enum {string} */
      code: 'prerequisite_failed' | 'prerequisite_cancelled' | 'condition_unmet' | 'prerequisite_blocked';
      message: string;
    };
    DurabilityRowDto: {
      /** Format: uuid */
      organizationId: string;
      /** @enum {string} */
      namespace: 'chat' | 'task';
      key: string;
      kind: string;
      version: number;
      payload: {
        [key: string]: unknown;
      };
      /** Format: uuid */
      sourceRunId: string | null;
      /** Format: date-time */
      expiresAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    FailRunDto: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      error: components['schemas']['RunFailureDto'];
      usage?: components['schemas']['UsageDto'];
      harness?: string;
      /** @enum {string} */
      logState?: 'complete' | 'partial' | 'none';
    };
    FailTurnDto: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      error: components['schemas']['FailureDto'];
      usage?: components['schemas']['UsageDto'];
    };
    FailureDto: {
      code: string;
      message: string;
      retryable: boolean;
    };
    FindingDto: {
      criterion: string;
      /** @enum {string} */
      verdict: 'accepted' | 'rejected';
      note: string;
    };
    HeartbeatDto: {
      /** Format: date-time */
      leaseExpiresAt: string;
      heartbeatIntervalMs: number;
      cancelRequested: boolean;
      workDispatchStopped: boolean;
      budget: components['schemas']['RunBudgetDto'];
      authorizationEpoch: number;
      executionToken: string | null;
    };
    LeaseDto: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
    };
    LimitsDto: {
      maxTaskDepth: number;
      maxPlanOperations: number;
      maxInitiativeDescendants: number;
    };
    LogEntryDto: {
      sequence: number;
      /** @enum {string} */
      category: 'lifecycle' | 'execution' | 'tool' | 'integration' | 'workspace' | 'git' | 'model';
      /** @enum {string} */
      status: 'started' | 'completed' | 'failed' | 'info';
      label: string;
      detail?: string | null;
      /** Format: date-time */
      occurredAt: string;
    };
    ManifestDto: {
      /** @enum {string} */
      kind: 'task_run' | 'chat_turn';
      /** Format: uuid */
      executionId: string;
      organization: components['schemas']['ManifestOrganizationDto'];
      profile: components['schemas']['ManifestProfileDto'];
      attempt: number;
      task?: components['schemas']['TaskDto'];
      /** @enum {string} */
      mode?: 'plan' | 'execute' | 'verify';
      budgetLeft?: components['schemas']['RunBudgetDto'];
      dependencies?: components['schemas']['RelatedTaskDto'][];
      children?: components['schemas']['RelatedTaskDto'][];
      artifactInputs?: components['schemas']['ResolvedInputDto'][];
      priorAttempts?: components['schemas']['PriorAttemptDto'][];
      unverified?: components['schemas']['RelatedTaskDto'] | null;
      verificationFindings?: {
        [key: string]: unknown;
      }[];
      answers?: {
        [key: string]: unknown;
      }[];
      decisions?: {
        [key: string]: unknown;
      }[];
      unresolvedActions?: {
        [key: string]: unknown;
      }[];
      plan?: components['schemas']['ManifestPlanDto'];
      chat?: components['schemas']['ChatDto'];
      messages?: components['schemas']['MessageDto'][];
      attachments?: components['schemas']['AttachmentDto'][];
      checkpoints: components['schemas']['CheckpointKeyDto'][];
      integrations: {
        [key: string]: unknown;
      }[];
      context: {
        [key: string]: unknown;
      }[];
      memory: components['schemas']['MemoryRevisionDto'] | null;
      /** Format: date-time */
      issuedAt: string;
    };
    ManifestOrganizationDto: {
      /** Format: uuid */
      id: string;
      slug: string;
      name: string;
      website: string;
      timezone: string;
      defaultCurrency: string;
      departments: components['schemas']['DepartmentsDto'];
      constraints: components['schemas']['ConstraintsDto'];
      limits: components['schemas']['LimitsDto'];
      authorizationEpoch: number;
    };
    ManifestPlanDto: {
      graphRevision: number;
      limits: components['schemas']['LimitsDto'];
    };
    ManifestProfileDto: {
      /** Format: uuid */
      id: string;
      key: string;
      name: string;
      kind: string;
      department: string | null;
      instructions: string | null;
      instructionsUri: string;
      catalogRevision: string;
      config: components['schemas']['AgentProfileConfigDto'];
    };
    MemoryRevisionDto: {
      revision: number;
    };
    MessageAuthorDto: {
      /** @enum {string} */
      kind: 'human';
      displayName: string;
    };
    MessageDto: {
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      organizationId: string;
      /** Format: uuid */
      chatId: string;
      /** Format: uuid */
      replyToMessageId: string | null;
      /** @enum {string} */
      role: 'user' | 'assistant';
      /** @enum {string} */
      status: 'pending' | 'streaming' | 'cancelling' | 'complete' | 'failed' | 'cancelled';
      revision: number;
      author: components['schemas']['MessageAuthorDto'] | null;
      parts: components['schemas']['MessagePartDto'][];
      error: components['schemas']['MessageErrorDto'] | null;
      /** Format: date-time */
      completedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    MessageErrorDto: {
      code: string;
      message: string;
      retryable: boolean;
    };
    MessagePartDto: {
      id: string;
      /** @enum {string} */
      kind: 'text';
      text: string;
    };
    Meta: {
      /** Format: date-time */
      timestamp: string;
      requestId?: string;
      traceId?: string;
    };
    OrganizationConfigDto: {
      timezone: string;
      departments: components['schemas']['DepartmentsDto'];
      limits: components['schemas']['LimitsDto'];
      storageRootUri: string;
    };
    OrganizationDto: {
      /** Format: uuid */
      id: string;
      slug: string;
      name: string;
      /** @enum {string} */
      status: 'active' | 'onboarding' | 'deleting';
      website: string;
      defaultCurrency: string;
      /** Format: date-time */
      onboardedAt: string | null;
      /** Format: date-time */
      workDispatchStoppedAt: string | null;
      rootUri: string;
      authorizationEpoch: number;
      config: components['schemas']['OrganizationConfigDto'];
      constraints: components['schemas']['ConstraintsDto'];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    OutcomeIssueDto: {
      path: string;
      code: string;
      message: string;
    };
    OutputDto: {
      /** @enum {string} */
      kind: 'task_result';
      result: components['schemas']['WorkerResultDto'];
    };
    Pagination: {
      cursor: string | null;
      limit: number;
      nextCursor: string | null;
      previousCursor: string | null;
      hasNextPage: boolean;
      hasPreviousPage: boolean;
    };
    PlanDependencyDto: {
      taskRef: string;
      /** @default true */
      required?: boolean;
      condition?: components['schemas']['CreateConditionDto'];
    };
    PriorAttemptDto: {
      /** Format: uuid */
      runId: string;
      /** @enum {string} */
      status: 'starting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired';
      error: components['schemas']['RunErrorDto'] | null;
    };
    PutDurabilityRowDto: {
      kind: string;
      payload: {
        [key: string]: unknown;
      };
      expectedVersion: number;
      /** Format: date-time */
      expiresAt?: string | null;
    };
    ReceiptDto: {
      /** @enum {string} */
      kind: 'command';
      id: string;
      commandHash: string;
      status: string;
      exitCode: number | null;
    };
    RecoverDto: {
      /** Format: uuid */
      bootId: string;
    };
    RecoveredDto: {
      runs: string[];
      claims: string[];
      turns: string[];
      retryAfterMs: number | null;
    };
    RelatedTaskDto: {
      /** Format: uuid */
      taskId: string;
      identifier: string;
      title: string;
      /** @enum {string} */
      status: 'pending' | 'running' | 'blocked' | 'completed' | 'failed' | 'cancelled';
      result: {
        [key: string]: unknown;
      } | null;
      /** Format: uuid */
      runId: string | null;
    };
    ReleasedDto: {
      /** Format: uuid */
      runRequestId: string;
      /** @enum {string} */
      status: 'queued' | 'claimed' | 'running' | 'completed' | 'failed' | 'cancelled' | 'superseded';
    };
    RemoveDependencyOperationDto: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'remove_dependency';
      task: string;
      dependsOn: string;
    };
    RequirementDto: {
      connectorKey?: string;
      purpose?: string;
      /** @enum {string} */
      need: 'connected' | 'tool' | 'write_access' | 'grant';
      toolName?: string;
    };
    ResolvedInputDto: {
      /** Format: uuid */
      taskId: string;
      identifier: string;
      /** @enum {string} */
      status: 'pending' | 'running' | 'blocked' | 'completed' | 'failed' | 'cancelled';
      artifactKind: string;
      /** Format: uuid */
      runId: string | null;
      artifacts: components['schemas']['ArtifactDto'][];
      truncated?: boolean;
    };
    RunBudgetDto: {
      agentRuns: number;
      attemptsInPhase: number;
      replans: number;
      actions: number;
    };
    RunDto: {
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      taskId: string;
      /** Format: uuid */
      runRequestId: string;
      agentProfile: components['schemas']['RunProfileDto'];
      attempt: number;
      /** @enum {string} */
      mode: 'plan' | 'execute' | 'verify';
      /** @enum {string} */
      status: 'starting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired';
      model: string;
      workerId: string;
      harness: string | null;
      workspaceUri: string | null;
      /** Format: date-time */
      leaseExpiresAt: string | null;
      output: {
        [key: string]: unknown;
      } | null;
      error: components['schemas']['RunErrorDto'] | null;
      usage: components['schemas']['UsageDto'];
      /** Format: date-time */
      startedAt: string;
      /** Format: date-time */
      finishedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    RunEndedDto: {
      /** Format: uuid */
      runId: string;
      /** @enum {string} */
      status: 'starting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired';
      /** Format: uuid */
      taskId: string;
      /** @enum {string} */
      taskStatus: 'pending' | 'running' | 'blocked' | 'completed' | 'failed' | 'cancelled';
      /** @enum {string} */
      runRequestStatus: 'queued' | 'claimed' | 'running' | 'completed' | 'failed' | 'cancelled' | 'superseded';
    };
    RunErrorDto: {
      code: string;
      message: string;
      /** @enum {string} */
      class: 'transient' | 'quota' | 'auth' | 'config' | 'agent' | 'protocol' | 'infrastructure' | 'cancelled';
      retryable: boolean;
      retryAfterSeconds: number | null;
      /** Format: date-time */
      at: string;
    };
    RunFailureDto: {
      code: string;
      message: string;
      retryable: boolean;
      /**
       * @default agent
       * @enum {string}
       */
      class?: 'transient' | 'quota' | 'auth' | 'config' | 'agent' | 'protocol' | 'infrastructure';
      retryAfterSeconds?: number;
    };
    RunLogDto: {
      sequence: number;
      /** @enum {string} */
      category: 'lifecycle' | 'execution' | 'tool' | 'integration' | 'workspace' | 'git' | 'model';
      /** @enum {string} */
      status: 'started' | 'completed' | 'failed' | 'info';
      label: string;
      detail: string | null;
      /** Format: date-time */
      occurredAt: string;
      /** Format: date-time */
      receivedAt: string;
    };
    RunProfileDto: {
      /** Format: uuid */
      id: string;
      key: string;
      name: string;
      kind: string;
      department: string | null;
      status: string;
    };
    RunRunningDto: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      harness: string;
      model: string;
      workspaceUri: string;
    };
    RunStatusDto: {
      /** @enum {string} */
      status: 'starting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired';
    };
    RuntimeDto: {
      model: string;
      reasoningEffort: string;
    };
    StageOutcomeDto: {
      /** @enum {string} */
      kind: 'planned' | 'handoff' | 'verification' | 'learning';
      summary: string;
      expectedGraphRevision?: number;
      operations?: (
        | components['schemas']['CreateTaskOperationDto']
        | components['schemas']['AddDependencyOperationDto']
        | components['schemas']['RemoveDependencyOperationDto']
        | components['schemas']['WaiveDependencyOperationDto']
        | components['schemas']['UpdateTaskOperationDto']
        | components['schemas']['CancelTaskOperationDto']
      )[];
      /** Format: uuid */
      inboxItemId?: string;
      /** @enum {string} */
      verdict?: 'accepted' | 'rejected';
      findings?: components['schemas']['FindingDto'][];
      expectedRevision?: number;
      /** Format: uuid */
      watermarkTaskId?: string;
      lessons?: {
        [key: string]: unknown;
      }[];
      suggestions?: {
        [key: string]: unknown;
      }[];
    };
    StagedOutcomeDto: {
      /** Format: uuid */
      outcomeId: string | null;
      digest: string;
      issues: components['schemas']['OutcomeIssueDto'][];
    };
    StartRunDto: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      /** Format: uuid */
      runId: string;
      workerId: string;
      /** Format: uuid */
      bootId?: string;
    };
    StartedRunDto: {
      /** @enum {string} */
      kind: 'run';
      /** Format: uuid */
      organizationId: string;
      /** Format: uuid */
      agentProfileId: string;
      /** Format: uuid */
      taskId: string;
      /** Format: uuid */
      runRequestId: string;
      /** Format: uuid */
      runId: string;
      attempt: number;
      /** Format: date-time */
      leaseExpiresAt: string;
      heartbeatIntervalMs: number;
      executionToken: string;
    };
    StoredArtifactDto: {
      /** Format: uuid */
      runId: string;
      sha256: string;
      sizeBytes: number;
      /** Format: date-time */
      createdAt: string;
    };
    TaskDependencyDto: {
      /** Format: uuid */
      organizationId: string;
      /** Format: uuid */
      taskId: string;
      /** Format: uuid */
      dependsOnTaskId: string;
      /** @enum {string} */
      status: 'pending' | 'satisfied' | 'failed' | 'waived';
      required: boolean;
      condition: components['schemas']['DependencyConditionDto'];
      failure: components['schemas']['DependencyFailureDto'] | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      satisfiedAt: string | null;
      /** Format: date-time */
      failedAt: string | null;
    };
    TaskDto: {
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      organizationId: string;
      identifier: string;
      identifierScope: string;
      identifierNumber: number;
      /** Format: uuid */
      parentId: string | null;
      /** Format: uuid */
      rootTaskId: string | null;
      depth: number;
      /** Format: uuid */
      ownerAgentProfileId: string;
      /** Format: uuid */
      sourceChatId: string | null;
      /** Format: uuid */
      sourceMessageId: string | null;
      /** @enum {string} */
      kind: 'task' | 'discovery' | 'learning';
      /** @enum {string} */
      status: 'pending' | 'running' | 'blocked' | 'completed' | 'failed' | 'cancelled';
      /** @enum {string} */
      phase: 'plan' | 'execute' | 'verify';
      title: string;
      priority: number;
      version: number;
      graphRevision: number;
      agentRunCount: number;
      consumedAgentRunCount: number;
      replanCount: number;
      /** Format: uuid */
      createdByRunId: string | null;
      spec: components['schemas']['TaskSpecDto'];
      state: components['schemas']['TaskStateDto'];
      result: {
        [key: string]: unknown;
      } | null;
      dedupeKey: string;
      /** Format: date-time */
      scheduledAt: string | null;
      /** Format: date-time */
      dueAt: string | null;
      /** Format: date-time */
      startedAt: string | null;
      /** Format: date-time */
      completedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    TaskGraphDto: {
      /** Format: uuid */
      focusTaskId: string;
      /** Format: uuid */
      rootTaskId: string;
      totalTasks: number;
      truncated: boolean;
      tasks: components['schemas']['TaskDto'][];
      relatedTasks: components['schemas']['TaskDto'][];
      dependencies: components['schemas']['TaskDependencyDto'][];
    };
    TaskSpecDto: {
      objective: string;
      inputs: {
        [key: string]: unknown;
      }[];
      acceptanceCriteria: components['schemas']['AcceptanceCriterionDto'][];
      budget: components['schemas']['BudgetDto'];
      /** @enum {string} */
      verification: 'none' | 'required';
    };
    TaskStateDto: {
      blockers: components['schemas']['BlockerDto'][];
      activeRunIds: string[];
    };
    TextInputDto: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'text';
      text: string;
    };
    TurnHeartbeatDto: {
      /** @enum {string} */
      status: 'pending' | 'streaming' | 'cancelling' | 'complete' | 'failed' | 'cancelled';
      revision: number;
      cancelRequested: boolean;
      /** Format: date-time */
      leaseExpiresAt: string;
      executionToken: string | null;
    };
    TurnRunningDto: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      harness: string;
      model: string;
      harnessSessionId?: string;
    };
    TurnStateDto: {
      /** @enum {string} */
      status: 'pending' | 'streaming' | 'cancelling' | 'complete' | 'failed' | 'cancelled';
      revision: number;
      cancelRequested: boolean;
    };
    UpdateTaskOperationDto: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'update_task';
      task: string;
      objective?: string;
      acceptanceCriteria?: components['schemas']['AcceptanceCriterionDto'][];
      priority?: number;
      /** Format: date-time */
      dueAt?: string;
    };
    UriInputDto: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'uri';
      uri: string;
    };
    UsageDto: {
      inputTokens: number;
      outputTokens: number;
      toolCalls: number;
      costMinorUnits: number;
    };
    WaiveDependencyOperationDto: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'waive_dependency';
      task: string;
      dependsOn: string;
    };
    WorkerResultDto: {
      /** @enum {string} */
      kind: 'completed' | 'action_wait' | 'handoff' | 'integration_wait' | 'planned' | 'verification' | 'learning';
      summary: string;
      artifacts?: components['schemas']['ArtifactDto'][];
      actionIds?: string[];
      /** Format: uuid */
      inboxItemId?: string;
      requirements?: components['schemas']['RequirementDto'][];
      staged?: {
        [key: string]: unknown;
      };
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  agentArtifactsStore: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        sha256: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/octet-stream': string;
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 201;
            message: string;
            data: components['schemas']['StoredArtifactDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  agentDurabilityRead: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        namespace: 'chat' | 'task';
        key: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['DurabilityRowDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  agentDurabilityPut: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        namespace: 'chat' | 'task';
        key: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PutDurabilityRowDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['DurabilityRowDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  executionRead: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['ManifestDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  executionStage: {
    parameters: {
      query?: {
        dryRun?: boolean;
      };
      header?: never;
      path: {
        organizationId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['StageOutcomeDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['StagedOutcomeDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  tasksAgentList: {
    parameters: {
      query?: {
        limit?: number;
        order?: 'asc' | 'desc';
        createdAfter?: string;
        createdBefore?: string;
        updatedAfter?: string;
        updatedBefore?: string;
        cursor?: string;
        status?: ('pending' | 'running' | 'blocked' | 'completed' | 'failed' | 'cancelled')[];
        kind?: ('task' | 'discovery' | 'learning')[];
        phase?: ('plan' | 'execute' | 'verify')[];
        priority?: number;
        ownerAgentProfileId?: string;
        parentId?: string;
        rootTaskId?: string;
        sourceChatId?: string;
        search?: string;
      };
      header?: never;
      path: {
        organizationId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['TaskDto'][];
            pagination: components['schemas']['Pagination'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  tasksAgentCreate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateRootTaskDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['TaskDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 201;
            message: string;
            data: components['schemas']['TaskDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  tasksAgentRead: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        taskRef: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['TaskDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  internalChatTurnsClaim: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ClaimTurnsDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['ClaimedTurnDto'][];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  internalChatTurnsAppend: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        turnId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AppendDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['AppendedDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  internalChatTurnsCancelled: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        turnId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CancelledTurnDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['TurnStateDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  internalChatTurnsComplete: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        turnId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CompleteTurnDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['TurnStateDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  internalChatTurnsFail: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        turnId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['FailTurnDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['TurnStateDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  internalChatTurnsHeartbeat: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        turnId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LeaseDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['TurnHeartbeatDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  internalChatTurnsRunning: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        turnId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TurnRunningDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['TurnStateDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  internalRunRequestsClaim: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ClaimDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['ClaimedDto'][];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  internalRunRequestsRelease: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        runRequestId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LeaseDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['ReleasedDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  internalRunRequestsStart: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        runRequestId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['StartRunDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['StartedRunDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  runCompletionComplete: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        runId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CompleteRunDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['RunEndedDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  runCompletionFail: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        runId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['FailRunDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['RunEndedDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  runLeasesHeartbeat: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        runId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LeaseDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['HeartbeatDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  runLogsRuntimeAppend: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        runId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AppendLogsDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['AppendedLogsDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  runLeasesRunning: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        runId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RunRunningDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['RunStatusDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  workersRecover: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        workerId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RecoverDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['RecoveredDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  organizationsCreate: {
    parameters: {
      query?: never;
      header: {
        'Idempotency-Key': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateOrganizationDto'];
      };
    };
    responses: {
      201: {
        headers: {
          'Idempotent-Replayed'?: 'true';
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 201;
            message: string;
            data: components['schemas']['CreatedOrganizationDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  agentProfilesList: {
    parameters: {
      query?: {
        limit?: number;
        order?: 'asc' | 'desc';
        createdAfter?: string;
        createdBefore?: string;
        updatedAfter?: string;
        updatedBefore?: string;
        cursor?: string;
        status?: ('enabled' | 'disabled')[];
        kind?: ('operator' | 'chat' | 'department')[];
        department?: ('growth' | 'engineering' | 'support')[];
      };
      header?: never;
      path: {
        organizationId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['AgentProfileDto'][];
            pagination: components['schemas']['Pagination'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  runsList: {
    parameters: {
      query?: {
        limit?: number;
        order?: 'asc' | 'desc';
        createdAfter?: string;
        createdBefore?: string;
        updatedAfter?: string;
        updatedBefore?: string;
        cursor?: string;
        status?: ('starting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired')[];
        taskId?: string;
        agentProfileId?: string;
      };
      header?: never;
      path: {
        organizationId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['RunDto'][];
            pagination: components['schemas']['Pagination'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  runArtifactsRead: {
    parameters: {
      query?: never;
      header?: {
        Range?: string;
        'If-Range'?: string;
        'If-Match'?: string;
        'If-None-Match'?: string;
      };
      path: {
        organizationId: string;
        id: string;
        sha256: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag?: string;
          'Accept-Ranges'?: string;
          'Content-Disposition'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': string;
        };
      };
      206: {
        headers: {
          ETag?: string;
          'Accept-Ranges'?: string;
          'Content-Disposition'?: string;
          'Content-Range'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': string;
        };
      };
    };
  };
  runsLogs: {
    parameters: {
      query?: {
        limit?: number;
        order?: 'asc' | 'desc';
        cursor?: string;
      };
      header?: never;
      path: {
        organizationId: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['RunLogDto'][];
            pagination: components['schemas']['Pagination'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  tasksCreate: {
    parameters: {
      query?: never;
      header?: {
        'Idempotency-Key'?: string;
      };
      path: {
        organizationId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateTaskDto'];
      };
    };
    responses: {
      200: {
        headers: {
          'Idempotent-Replayed'?: 'true';
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['TaskDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
      201: {
        headers: {
          'Idempotent-Replayed'?: 'true';
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 201;
            message: string;
            data: components['schemas']['TaskDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  tasksRead: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        taskRef: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['TaskDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  tasksGraph: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        taskRef: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 200;
            message: string;
            data: components['schemas']['TaskGraphDto'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
}
