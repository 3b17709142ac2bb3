// Made from the OpenAPI document by "npm run example:types"; not edited by hand.

export interface paths {
  '/internal/agent/organizations/{organizationId}/actions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['agent.actions.propose'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/agent/organizations/{organizationId}/artifacts/{sha256}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put: operations['agent.runArtifacts.store'];
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
    get: operations['agent.durability.read'];
    put: operations['agent.durability.put'];
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
    get: operations['agent.execution.read'];
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
    put: operations['agent.execution.stage'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/agent/organizations/{organizationId}/inbox': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['agent.inbox.open'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/agent/organizations/{organizationId}/integrations/{integrationKey}/capability': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['agent.integrations.capability'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/agent/organizations/{organizationId}/knowledge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['agent.knowledge.list'];
    put?: never;
    post: operations['agent.knowledge.publish'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/agent/organizations/{organizationId}/knowledge/{knowledgeId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['agent.knowledge.read'];
    put?: never;
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
    get: operations['agent.tasks.list'];
    put?: never;
    post: operations['agent.tasks.create'];
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
    get: operations['agent.tasks.read'];
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
    post: operations['turns.claim'];
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
    post: operations['turns.append'];
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
    post: operations['turns.cancelled'];
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
    post: operations['turns.complete'];
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
    post: operations['turns.fail'];
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
    post: operations['turns.heartbeat'];
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
    post: operations['turns.running'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/internal/gateway/integrations/{integrationId}/tools/{toolName}/call': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['agent.gateway.call'];
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
    post: operations['runRequests.claim'];
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
    post: operations['runRequests.release'];
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
    post: operations['runRequests.start'];
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
    post: operations['runs.complete'];
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
    post: operations['runs.fail'];
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
    post: operations['runs.heartbeat'];
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
    post: operations['runs.appendLogs'];
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
    post: operations['runs.running'];
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
    post: operations['workers.recover'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organization-onboardings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['onboardings.create'];
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
    post: operations['organizations.create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/actions/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['actions.read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/actions/{id}/approve': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['actions.approve'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/actions/{id}/reconcile': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['actions.reconcile'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/actions/{id}/reject': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['actions.reject'];
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
    get: operations['agentProfiles.list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/chats': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['chats.list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/chats/{chatId}/messages': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['messages.post'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/discovery': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['discovery.read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/human-inbox': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['inbox.list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/human-inbox/{inboxItemId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['inbox.read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/human-inbox/{inboxItemId}/respond': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['inbox.respond'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/integration-setup/complete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['discovery.completeIntegrationSetup'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/integrations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['integrations.create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/integrations/{integrationRef}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete: operations['integrations.delete'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/integrations/{integrationRef}/context-mapping': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['integrations.mapContext'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/integrations/{integrationRef}/credential': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put: operations['integrationCredentials.put'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/integrations/{integrationRef}/discover': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['integrationTools.discover'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/integrations/{integrationRef}/profiles': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put: operations['integrations.setProfiles'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/integrations/{integrationRef}/settings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put: operations['integrationSettings.update'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/integrations/{integrationRef}/tools': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put: operations['integrationTools.update'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/knowledge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['knowledge.list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/learning': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['learning.list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/learning/{profileKey}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['learning.read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/learning/{profileKey}/refresh': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['learning.refresh'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/messages/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['messages.read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/onboarding': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['onboardings.read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/onboarding/complete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['onboardings.complete'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/onboarding/sources/{sourceId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put: operations['sources.store'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/onboarding/start': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['onboardings.start'];
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
    get: operations['runs.list'];
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
    get: operations['runArtifacts.read'];
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
    get: operations['runs.logs'];
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
    post: operations['tasks.create'];
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
    get: operations['tasks.read'];
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
    get: operations['tasks.graph'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organizations/{organizationId}/webhooks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['webhooks.create'];
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
    AcceptanceCriterion: {
      /** @enum {string} */
      kind: 'text';
      description: string;
    };
    ActionDecider: {
      /** @enum {string} */
      kind: 'owner' | 'human';
      id: string | null;
      name: string;
    };
    ActionDecision: {
      /** @enum {string} */
      kind: 'approve' | 'reject' | 'policy';
      by: components['schemas']['ActionDecider'] | null;
      /** Format: date-time */
      at: string;
      comment: string | null;
      /** @enum {string} */
      channel: 'owner' | 'chat' | 'policy';
      /** Format: uuid */
      messageId: string | null;
    };
    ActionDetail: {
      /** Format: uuid */
      id: string;
      reference: string;
      /** Format: uuid */
      organizationId: string;
      /** @enum {string} */
      kind: 'tool_call' | 'git_push' | 'webhook_call';
      title: string;
      summary: string;
      connectorKey: string;
      /** Format: uuid */
      integrationId: string | null;
      toolName: string;
      argumentsDigest: string;
      preview: string;
      /** Format: uuid */
      taskId: string | null;
      taskVersion: number | null;
      /** Format: uuid */
      runId: string | null;
      /** Format: uuid */
      chatId: string | null;
      /** Format: uuid */
      chatMessageId: string | null;
      /** Format: uuid */
      agentProfileId: string;
      /** @enum {string} */
      risk: 'low' | 'external' | 'high';
      policy: components['schemas']['ActionPolicy'];
      approvalRequired: boolean;
      decision: components['schemas']['ActionDecision'] | null;
      /** @enum {string} */
      status:
        | 'awaiting_approval'
        | 'approved'
        | 'executing'
        | 'reconciliation_required'
        | 'succeeded'
        | 'failed'
        | 'not_executed'
        | 'rejected'
        | 'expired'
        | 'cancelled';
      revision: number;
      authorizationEpoch: number;
      result: {
        [key: string]: unknown;
      } | null;
      error: components['schemas']['ActionError'] | null;
      reconciliation: components['schemas']['ActionReconciliation'] | null;
      dedupeKey: string;
      /** Format: uuid */
      inboxItemId: string | null;
      /** Format: date-time */
      expiresAt: string;
      /** Format: date-time */
      sentAt: string | null;
      /** Format: date-time */
      finishedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      arguments: {
        [key: string]: unknown;
      };
    };
    ActionError: {
      code: string;
      message: string;
      fact?: string;
      providerStatus?: number;
      observed?: {
        [key: string]: unknown;
      };
    };
    ActionPolicy: {
      approvalRequired: boolean;
      reasons: ('access_mode' | 'tool_review' | 'risk')[];
      /** @enum {string} */
      catalogRisk: 'low' | 'external' | 'high';
      /** @enum {string|null} */
      callerRisk: 'low' | 'external' | 'high' | null;
    };
    ActionReconciliation: {
      /** @enum {string} */
      outcome: 'succeeded' | 'failed' | 'not_executed';
      note: string;
      by: components['schemas']['ActionDecider'];
      /** Format: date-time */
      at: string;
      /** @enum {string} */
      channel: 'owner' | 'chat';
      /** Format: uuid */
      messageId: string | null;
    };
    AddDependencyOperation: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'add_dependency';
      task: string;
      dependsOn: string;
      /** @default true */
      required?: boolean;
      condition?: components['schemas']['CreateCondition'];
    };
    AgentProfile: {
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
      config: components['schemas']['AgentProfileConfig'];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    AgentProfileConfig: {
      /** @enum {string} */
      defaultRunMode: 'plan' | 'execute' | 'verify';
      toolPolicyKeys: string[];
      memoryRootUri: string;
      runtime: components['schemas']['Runtime'];
      skillKeys: string[];
      mcpServerKeys: string[];
      maxLiveRuns: number;
      catalogSource: components['schemas']['CatalogSource'];
    };
    Append: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      partId: string;
      offset: number;
      text: string;
    };
    AppendLogs: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      entries: components['schemas']['LogEntry'][];
    };
    Appended: {
      /** @enum {string} */
      status: 'pending' | 'streaming' | 'cancelling' | 'complete' | 'failed' | 'cancelled';
      revision: number;
      cancelRequested: boolean;
      length: number;
    };
    AppendedLogs: {
      acceptedThrough: number;
      missing: number[];
      cancelRequested: boolean;
    };
    Artifact: {
      kind: string;
      name: string;
      path: string;
      uri?: string;
      mediaType?: string;
      sizeBytes?: number;
      sha256?: string;
      summary?: string;
    };
    ArtifactInput: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'artifact';
      /** Format: uuid */
      taskId: string;
      artifactKind: string;
    };
    Attachment: {
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
    AttachmentInput: {
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
    Beat: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      /** @default 0 */
      waitSeconds?: number;
    };
    Blocker:
      | components['schemas']['BlockerDependency']
      | components['schemas']['BlockerDependencyFailed']
      | components['schemas']['BlockerHandoff']
      | components['schemas']['BlockerAction']
      | components['schemas']['BlockerIntegration']
      | components['schemas']['BlockerOperator'];
    BlockerAction: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'action';
      /** Format: date-time */
      since: string;
      /** Format: uuid */
      actionId: string;
    };
    BlockerDependency: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'dependency';
      /** Format: date-time */
      since: string;
      /** Format: uuid */
      dependsOnTaskId: string;
    };
    BlockerDependencyFailed: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'dependency_failed';
      /** Format: date-time */
      since: string;
      /** Format: uuid */
      dependsOnTaskId: string;
    };
    BlockerHandoff: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'handoff';
      /** Format: date-time */
      since: string;
      /** Format: uuid */
      inboxItemId: string;
    };
    BlockerIntegration: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'integration';
      /** Format: date-time */
      since: string;
      connectorKey: string | null;
      requirement: {
        [key: string]: unknown;
      };
    };
    BlockerOperator: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'operator';
      /** Format: date-time */
      since: string;
      /** Format: uuid */
      inboxItemId: string;
    };
    Budget: {
      maxAgentRuns: number;
      maxAttemptsPerPhase: number;
      maxReplans: number;
      maxActions: number;
    };
    CallError: {
      code: string;
      message: string;
      providerStatus: number | null;
      retryable: boolean;
      retryAfterSeconds: number | null;
    };
    CallTool: {
      arguments: {
        [key: string]: unknown;
      };
      title?: string;
      summary?: string;
      /** @enum {string} */
      risk?: 'low' | 'external' | 'high';
      dedupeKey?: string;
    };
    CancelTaskOperation: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'cancel_task';
      task: string;
    };
    CancelledTurn: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      usage?: components['schemas']['Usage'];
    };
    Capability: {
      integrationGatewayCapability: string;
      /** Format: uuid */
      integrationId: string;
      /** Format: date-time */
      expiresAt: string;
      tools: string[];
    };
    CatalogSource: {
      templateKey: string;
      revision: string;
      /** @enum {string} */
      updatePolicy: 'auto' | 'pinned';
    };
    Chat: {
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      organizationId: string;
      title: string;
      /** @enum {string} */
      status: 'open' | 'archived';
      summary: string | null;
      harnessSessionId: string | null;
      settings: components['schemas']['ChatSettings'];
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
    ChatSettings: {
      pinnedTaskIds: string[];
    };
    CheckpointKey: {
      namespace: string;
      key: string;
      version: number;
    };
    Claim: {
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
    ClaimTurns: {
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
    Claimed: {
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
    ClaimedTurn: {
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
    CompleteOnboarding: {
      reviewSha256: string;
      allowWarnings?: boolean;
    };
    CompleteRun: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      output: components['schemas']['Output'];
      usage?: components['schemas']['Usage'];
      receipts?: components['schemas']['Receipt'][];
      harness?: string;
      workspaceUri?: string;
      /** @enum {string} */
      logState?: 'complete' | 'partial' | 'none';
    };
    CompleteTurn: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      parts?: components['schemas']['MessagePart'][];
      usage?: components['schemas']['Usage'];
      title?: string;
      summary?: string;
      harnessSessionId?: string;
    };
    CompletedOnboarding: {
      /** Format: uuid */
      organizationId: string;
      /** @enum {string} */
      state: 'draft' | 'reviewing' | 'review_ready' | 'completed' | 'failed' | 'discarded';
      departments: ('growth' | 'engineering' | 'support')[];
      sources: components['schemas']['Source'][];
      review: components['schemas']['Review'] | null;
      error: components['schemas']['OnboardingError'] | null;
      /** Format: date-time */
      startedAt: string | null;
      /** Format: date-time */
      completedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      organization: components['schemas']['Organization'];
    };
    Connection: {
      /** @enum {string} */
      type: 'direct' | 'mcp' | 'oauth_suite' | 'code_host' | 'cloud_account' | 'api_key';
    };
    ConnectorSettings:
      | components['schemas']['ConnectorSettingsCloudAccount']
      | components['schemas']['ConnectorSettingsCodeHost']
      | components['schemas']['ConnectorSettingsDocumentDb']
      | components['schemas']['ConnectorSettingsEmailDelivery']
      | components['schemas']['ConnectorSettingsKeyValueStore']
      | components['schemas']['ConnectorSettingsPaymentsProvider']
      | components['schemas']['ConnectorSettingsSupportInbox']
      | components['schemas']['ConnectorSettingsWebAnalytics'];
    ConnectorSettingsCloudAccount: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'cloud-account';
      accountId: string;
      /** @enum {string} */
      region:
        | 'af-south-1'
        | 'ap-east-1'
        | 'ap-northeast-1'
        | 'ap-northeast-2'
        | 'ap-northeast-3'
        | 'ap-south-1'
        | 'ap-south-2'
        | 'ap-southeast-1'
        | 'ap-southeast-2'
        | 'ap-southeast-3'
        | 'ap-southeast-4'
        | 'ca-central-1'
        | 'ca-west-1'
        | 'eu-central-1'
        | 'eu-central-2'
        | 'eu-north-1'
        | 'eu-south-1'
        | 'eu-south-2'
        | 'eu-west-1'
        | 'eu-west-2'
        | 'eu-west-3'
        | 'il-central-1'
        | 'me-central-1'
        | 'me-south-1'
        | 'sa-east-1'
        | 'us-east-1'
        | 'us-east-2'
        | 'us-west-1'
        | 'us-west-2';
      /** @default false */
      kubernetesEnabled?: boolean;
      /** @default false */
      metrics?: boolean;
    };
    ConnectorSettingsCodeHost: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'code-host';
      repositories?: string[];
    };
    ConnectorSettingsDocumentDb: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'document-db';
      databaseName: string;
      collections: {
        name: string;
        fields: string[];
      }[];
      reporting?: {
        creationFields: {
          [key: string]: string;
        };
      };
    };
    ConnectorSettingsEmailDelivery: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'email-delivery';
      domains: string[];
      from?: string[];
    };
    ConnectorSettingsKeyValueStore: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'key-value-store';
      scope: {
        /** @enum {string} */
        mode: 'all' | 'prefix';
        prefix?: string;
      };
      reporting?: {
        keys: {
          key: string;
          /** @enum {string} */
          type: 'numeric' | 'collection';
          label?: string;
        }[];
      };
    };
    ConnectorSettingsPaymentsProvider: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'payments-provider';
      storeIds?: string[];
      /** @constant */
      selectAll?: true;
    };
    ConnectorSettingsSupportInbox: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'support-inbox';
      websiteId: string;
    };
    ConnectorSettingsWebAnalytics: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'web-analytics';
      propertyIds: string[];
      defaultPropertyId: string;
    };
    Constraints: {
      allowedIntegrations: string[];
      blockedDomains: string[];
      approvalRequiredForRisk: ('low' | 'external' | 'high')[];
    };
    ContextEntry: {
      /** Format: uuid */
      knowledgeId: string;
      key: string;
      title: string;
      text: string;
      /** @enum {string} */
      origin: 'execution' | 'material';
      /** @enum {string} */
      freshness: 'current';
      /** Format: date-time */
      retainedAt: string;
    };
    ContextMapping: {
      expectedRevision: number;
      context: components['schemas']['GivenContext'];
    };
    CreateBudget: {
      /** @default 20 */
      maxAgentRuns?: number;
      /** @default 3 */
      maxAttemptsPerPhase?: number;
      /** @default 3 */
      maxReplans?: number;
      /** @default 20 */
      maxActions?: number;
    };
    CreateCondition:
      components['schemas']['CreateConditionCompletion'] | components['schemas']['CreateConditionArtifact'];
    CreateConditionArtifact: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'artifact';
      artifactKind: string;
    };
    CreateConditionCompletion: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'completion';
    };
    CreateDependency: {
      taskRef: string;
      /** @default true */
      required?: boolean;
      condition?: components['schemas']['CreateCondition'];
    };
    CreateIntegration: {
      name: string;
      key?: string;
      endpoint: string;
      purposes?: string[];
      description?: string;
      profileGrants?: string[];
    };
    CreateOrganization: {
      name: string;
      website: string;
      timezone: string;
      defaultCurrency: string;
      config?: components['schemas']['CreateOrganizationConfig'];
    };
    CreateOrganizationConfig: {
      limits?: components['schemas']['UpdateLimits'];
    };
    CreateOrganizationShell: {
      name: string;
      slug: string;
      timezone: string;
      departments: ('growth' | 'engineering' | 'support')[];
    };
    CreateRootTask: {
      title: string;
      spec: components['schemas']['CreateTaskSpec'];
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
      dependsOn?: components['schemas']['CreateDependency'][];
      dedupeKey?: string;
    };
    CreateTask: {
      title: string;
      spec: components['schemas']['CreateTaskSpec'];
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
      dependsOn?: components['schemas']['CreateDependency'][];
      dedupeKey?: string;
      parentRef?: string;
    };
    CreateTaskOperation: {
      title: string;
      spec: components['schemas']['CreateTaskSpec'];
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
      dependsOn?: components['schemas']['PlanDependency'][];
    };
    CreateTaskSpec: {
      objective: string;
      inputs?: (
        | components['schemas']['TextInput']
        | components['schemas']['AttachmentInput']
        | components['schemas']['ArtifactInput']
        | components['schemas']['UriInput']
      )[];
      acceptanceCriteria?: components['schemas']['AcceptanceCriterion'][];
      budget?: components['schemas']['CreateBudget'];
      /**
       * @default none
       * @enum {string}
       */
      verification?: 'none' | 'required';
    };
    CreateWebhook: {
      url: string;
      events: (
        | 'inbox.item.opened'
        | 'action.decided'
        | 'action.finished'
        | 'task.ended'
        | 'run.failed'
        | 'chat.message.completed'
      )[];
      description?: string;
    };
    CreatedOrganization: {
      organization: components['schemas']['Organization'];
      agentProfiles: components['schemas']['AgentProfile'][];
      chat: components['schemas']['Chat'];
    };
    CredentialMetadata: {
      /** @enum {string} */
      kind:
        | 'none'
        | 'api_key'
        | 'rest_token'
        | 'srv'
        | 'role'
        | 'app_installation'
        | 'token'
        | 'rest_key'
        | 'oauth2'
        | 'oauth1';
      /** Format: date-time */
      connectedAt: string;
      details: {
        [key: string]: unknown;
      };
    };
    DecidedAction: {
      /** Format: uuid */
      actionId: string;
      reference: string;
      /** @enum {string} */
      status: 'succeeded' | 'failed' | 'not_executed' | 'rejected' | 'expired' | 'cancelled';
      note: string | null;
      errorCode: string | null;
    };
    Decision: {
      comment?: string;
      expectedRevision?: number;
      expectedDigest?: string;
    };
    Department: {
      enabled: boolean;
    };
    DepartmentDiscoveries: {
      growth: components['schemas']['DepartmentDiscovery'] | null;
      engineering: components['schemas']['DepartmentDiscovery'] | null;
      support: components['schemas']['DepartmentDiscovery'] | null;
    };
    DepartmentDiscovery: {
      /** @enum {string} */
      status: 'waiting' | 'pending' | 'task_created' | 'evidence_retained' | 'failed';
      /** Format: uuid */
      taskId: string | null;
    };
    DepartmentPurposes: {
      growth?: string;
      engineering?: string;
      support?: string;
    };
    Departments: {
      growth: components['schemas']['Department'];
      engineering: components['schemas']['Department'];
      support: components['schemas']['Department'];
    };
    DependencyCondition:
      components['schemas']['DependencyConditionCompletion'] | components['schemas']['DependencyConditionArtifact'];
    DependencyConditionArtifact: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'artifact';
      artifactKind: string;
    };
    DependencyConditionCompletion: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'completion';
    };
    DependencyFailure: {
      /** @enum {string} */
      code: 'prerequisite_failed' | 'prerequisite_cancelled' | 'condition_unmet' | 'prerequisite_blocked';
      message: string;
    };
    DiscoveredTool: {
      name: string;
      title: string | null;
      description: string | null;
      /** @enum {string} */
      access: 'read' | 'write';
      /** @enum {string} */
      risk: 'low' | 'external' | 'high';
      selected: boolean;
      quarantined: boolean;
      definitionHash: string;
      /** @enum {string} */
      status: 'same' | 'new' | 'changed' | 'missing';
      changed: ('title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations')[];
    };
    DiscoveredTools: {
      tools: components['schemas']['DiscoveredTool'][];
      excluded: components['schemas']['ExcludedTool'][];
      server: components['schemas']['ServerIdentity'] | null;
      protocolVersion: string | null;
      /** Format: date-time */
      listedAt: string;
    };
    Discovery: {
      /** @enum {string} */
      status: 'researching' | 'research_failed' | 'awaiting_integration_setup' | 'departments_running' | 'complete';
      /** Format: date-time */
      integrationSetupCompletedAt: string | null;
      intentions: components['schemas']['Intention'][];
      departments: components['schemas']['DepartmentDiscoveries'];
    };
    DurabilityRow: {
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
    Evidence: {
      /** Format: uuid */
      runId: string;
      path: string;
      sha256: string;
    };
    ExcludedTool: {
      name: string;
      /** @enum {string} */
      reason:
        | 'invalid_name'
        | 'duplicate_name'
        | 'too_large'
        | 'too_deep'
        | 'invalid_schema'
        | 'remote_reference'
        | 'invalid_header'
        | 'over_limit';
    };
    FailRun: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      error: components['schemas']['RunFailure'];
      usage?: components['schemas']['Usage'];
      harness?: string;
      /** @enum {string} */
      logState?: 'complete' | 'partial' | 'none';
    };
    FailTurn: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      error: components['schemas']['Failure'];
      usage?: components['schemas']['Usage'];
    };
    Failure: {
      code: string;
      message: string;
      retryable: boolean;
    };
    Finding: {
      criterion: string;
      /** @enum {string} */
      verdict: 'accepted' | 'rejected';
      note: string;
    };
    GivenContext: {
      organizationPurpose?: string | null;
      departmentPurposes?: components['schemas']['DepartmentPurposes'];
      policy?: string | null;
      businessFunctions?: string[];
      taskPatterns?: string[];
      workflowKeys?: string[];
      resources?: components['schemas']['RepositoryResource'][];
      departments?: ('growth' | 'engineering' | 'support')[];
    };
    Heartbeat: {
      /** Format: date-time */
      leaseExpiresAt: string;
      heartbeatIntervalMs: number;
      cancelRequested: boolean;
      workDispatchStopped: boolean;
      budget: components['schemas']['RunBudget'];
      authorizationEpoch: number;
      executionToken: string | null;
    };
    InboxCloser: {
      /** @enum {string} */
      kind: 'owner' | 'human' | 'agent' | 'runtime' | 'system';
      id: string | null;
      name: string;
    };
    InboxClosure: {
      /** Format: date-time */
      at: string;
      by: components['schemas']['InboxCloser'] | null;
      reason: string | null;
    };
    InboxItem: {
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      organizationId: string;
      /** @enum {string} */
      kind: 'question' | 'notification' | 'approval' | 'reconciliation';
      /** @enum {string|null} */
      purpose: 'task' | 'learning_input' | null;
      /** @enum {string} */
      status: 'open' | 'answered' | 'acknowledged' | 'resolved' | 'expired' | 'withdrawn';
      /** @enum {string} */
      severity: 'info' | 'attention' | 'action_required';
      title: string;
      body: string;
      presentation: components['schemas']['InboxPresentation'];
      openedBy: components['schemas']['InboxOpener'];
      /** Format: uuid */
      taskId: string | null;
      /** Format: uuid */
      runId: string | null;
      /** Format: uuid */
      chatId: string | null;
      /** Format: uuid */
      actionId: string | null;
      blocking: boolean;
      occurrences: number;
      response: components['schemas']['InboxResponse'] | null;
      closure: components['schemas']['InboxClosure'] | null;
      /** Format: date-time */
      expiresAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    InboxOpener: {
      /** @enum {string} */
      kind: 'agent' | 'system';
      profileKey: string | null;
    };
    InboxOption: {
      id: string;
      label: string;
      description?: string;
    };
    InboxPresentation: {
      summary?: string;
      businessImpact?: string;
      recommendation?: string;
      options?: components['schemas']['InboxOption'][];
      recommendedOptionId?: string;
      allowFreeText: boolean;
    };
    InboxResponse: {
      text: string;
      optionId: string | null;
      respondedBy: components['schemas']['InboxCloser'];
      /** Format: date-time */
      respondedAt: string;
      /** @enum {string} */
      channel: 'owner' | 'chat';
      /** Format: uuid */
      messageId: string | null;
    };
    Integration: {
      /** Format: uuid */
      id: string;
      key: string;
      name: string;
      kind: string;
      purposes: string[];
      enabled: boolean;
      /** @enum {string} */
      readiness:
        | 'retired'
        | 'blocked'
        | 'disabled'
        | 'needs_credentials'
        | 'needs_settings'
        | 'needs_tools'
        | 'needs_verification'
        | 'degraded'
        | 'ready';
      /** @enum {string} */
      accessMode: 'read_only' | 'ask_before_write' | 'autonomous';
      reviewRequiredTools: string[];
      operatingContext: components['schemas']['OperatingContext'];
      contextRevision: number;
      health: components['schemas']['IntegrationHealth'];
      revisions: components['schemas']['IntegrationRevisions'];
      /** Format: uuid */
      organizationId: string;
      description: string;
      connection: components['schemas']['Connection'];
      endpoint: string | null;
      tools: components['schemas']['IntegrationTool'][];
      profileGrants: string[];
      readOnlyProfileKeys: string[];
      retired: boolean;
      credentialMetadata: components['schemas']['CredentialMetadata'] | null;
      hasReportingCredentials: boolean;
      settings: {
        [key: string]: unknown;
      } | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    IntegrationHealth: {
      /** @enum {string} */
      kind: 'integration_health';
      generation: string;
      observations: components['schemas']['Observation'][];
    };
    IntegrationRevisions: {
      credential: number;
      settings: number;
      tools: number;
      grants: number;
    };
    IntegrationTool: {
      name: string;
      title: string | null;
      /** @enum {string} */
      access: 'read' | 'write';
      /** @enum {string} */
      risk: 'low' | 'external' | 'high';
      selected: boolean;
      quarantined: boolean;
      definitionHash: string;
    };
    Intention: {
      /** @enum {string} */
      key: 'company_profile' | 'market' | 'customers' | 'growth' | 'engineering' | 'support';
      /** @enum {string} */
      status: 'waiting' | 'pending' | 'task_created' | 'evidence_retained' | 'failed';
      attempts: number;
      /** Format: uuid */
      taskId: string | null;
      /** Format: date-time */
      nextAttemptAt: string | null;
    };
    Issue: {
      path: string;
      message: string;
      code: string;
      params?: {
        length?: number;
        tasks?: string[];
      };
    };
    Knowledge: {
      /** Format: uuid */
      id: string;
      metadata: components['schemas']['KnowledgeMetadata'];
      /** @enum {string} */
      origin: 'execution' | 'material';
      /** @enum {string} */
      freshness: 'revoked' | 'superseded' | 'expired' | 'source_changed' | 'current';
      /** Format: uuid */
      supersededBy: string | null;
      excerpt?: string;
      /** @enum {string} */
      match?: 'similar';
    };
    KnowledgeDetail: {
      /** Format: uuid */
      id: string;
      metadata: components['schemas']['KnowledgeMetadata'];
      /** @enum {string} */
      origin: 'execution' | 'material';
      /** @enum {string} */
      freshness: 'revoked' | 'superseded' | 'expired' | 'source_changed' | 'current';
      /** Format: uuid */
      supersededBy: string | null;
      excerpt?: string;
      /** @enum {string} */
      match?: 'similar';
      procedure: string[];
      /** Format: uuid */
      supersedes: string | null;
      revocation: components['schemas']['Revocation'] | null;
    };
    KnowledgeMetadata: {
      key: string;
      title: string;
      finding: string;
      applicability: string;
      /** @enum {string} */
      visibility: 'organization' | 'department' | 'restricted';
      requiredConnectorKeys: string[];
      sourceVersions: components['schemas']['SourceVersion'][];
      evidence: components['schemas']['ShownEvidence'][];
      /** Format: date-time */
      validUntil: string | null;
      /** Format: uuid */
      sourceTaskId: string | null;
      /** Format: uuid */
      sourceRunId: string | null;
      authorProfileKey: string | null;
      /** @enum {string|null} */
      department: 'growth' | 'engineering' | 'support' | null;
      /** Format: date-time */
      retainedAt: string;
    };
    KnowledgePage: {
      items: components['schemas']['Knowledge'][];
      /** Format: uuid */
      nextCursor: string | null;
    };
    KnowledgeRevoker: {
      /** @enum {string} */
      kind: 'owner';
      id: string;
      name: string;
    };
    LearnedTask: {
      /** Format: uuid */
      taskId: string;
      identifier: string;
      title: string;
      /** @enum {string} */
      status: 'completed' | 'failed' | 'cancelled';
      /** Format: date-time */
      completedAt: string;
    };
    Learning: {
      profileKey: string;
      profileName: string;
      /** @enum {string|null} */
      department: 'growth' | 'engineering' | 'support' | null;
      memory: components['schemas']['ProfileMemory'] | null;
      inputs: components['schemas']['LearningInput'][];
    };
    LearningAnswer: {
      /** Format: uuid */
      inboxItemId: string;
      question: string;
      response: string;
    };
    LearningCycle: {
      /** Format: uuid */
      taskId: string;
      identifier: string;
      /** @enum {string} */
      status: 'pending' | 'running' | 'blocked' | 'completed' | 'failed' | 'cancelled';
    };
    LearningInput: {
      /** Format: uuid */
      id: string;
      profileKey: string;
      /** Format: uuid */
      sourceTaskId: string;
      /** @enum {string} */
      status: 'open' | 'answered';
      question: string;
      presentation: components['schemas']['LearningPresentation'];
      response: string | null;
      /** Format: date-time */
      resolvedAt: string | null;
    };
    LearningPresentation: {
      summary?: string;
      businessImpact?: string;
      recommendation?: string;
      options?: components['schemas']['InboxOption'][];
      recommendedOptionId?: string;
      allowFreeText: boolean;
      title: string;
    };
    Lease: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
    };
    Lesson: {
      key: string;
      lesson: string;
      sourceTaskIds: string[];
      evidence: components['schemas']['LessonEvidence'][];
      humanInboxItemIds: string[];
      /** Format: date-time */
      createdAt: string;
      supersedes: string | null;
      /** @enum {string} */
      origin: 'verified_learning';
    };
    LessonEvidence: {
      /** Format: uuid */
      runId: string;
      path: string;
      sha256: string;
    };
    Limits: {
      maxTaskDepth: number;
      maxPlanOperations: number;
      maxInitiativeDescendants: number;
      maxLiveRuns: number;
    };
    LogEntry: {
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
    Manifest: components['schemas']['ManifestTaskRun'] | components['schemas']['ManifestChatTurn'];
    ManifestAnswer: {
      /** Format: uuid */
      inboxItemId: string;
      /** @enum {string} */
      status: 'answered' | 'acknowledged' | 'resolved' | 'expired' | 'withdrawn';
      title: string;
      body: string;
      response: string | null;
      optionId: string | null;
      /** Format: date-time */
      at: string;
      truncated?: boolean;
    };
    ManifestChatTurn: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'chat_turn';
      /** Format: uuid */
      executionId: string;
      organization: components['schemas']['ManifestOrganization'];
      profile: components['schemas']['ManifestProfile'];
      attempt: number;
      decisions: components['schemas']['DecidedAction'][];
      unresolvedActions: components['schemas']['UnresolvedAction'][];
      chat: components['schemas']['Chat'];
      messages: components['schemas']['Message'][];
      attachments: components['schemas']['Attachment'][];
      checkpoints: components['schemas']['CheckpointKey'][];
      integrations: components['schemas']['ManifestIntegration'][];
      context: components['schemas']['ContextEntry'][];
      memory: components['schemas']['ManifestMemory'] | null;
      learning?: components['schemas']['ManifestLearning'];
      /** Format: date-time */
      issuedAt: string;
    };
    ManifestIntegration: {
      key: string;
      /** Format: uuid */
      integrationId: string;
      name: string;
      kind: string;
      purposes: string[];
      ranks: {
        [key: string]: unknown;
      };
      /** @enum {string} */
      readiness: 'ready' | 'degraded';
      /** @enum {string} */
      access: 'full' | 'read' | 'discovery';
      /** @enum {string} */
      accessMode: 'read_only' | 'ask_before_write' | 'autonomous';
      tools: components['schemas']['ManifestTool'][];
      purpose: components['schemas']['ManifestPurpose'];
      policy: string | null;
      resources: {
        [key: string]: unknown;
      }[];
      contextRevision: number;
      truncated?: boolean;
    };
    ManifestLearning: {
      /** Format: date-time */
      cycleStartedAt: string;
      /** Format: uuid */
      sinceTaskId: string | null;
      tasks: components['schemas']['LearnedTask'][];
      more: boolean;
      answers: components['schemas']['LearningAnswer'][];
      revoked: components['schemas']['RevokedFromManifest'][];
    };
    ManifestLesson: {
      key: string;
      lesson: string;
    };
    ManifestMemory: {
      revision: number;
      lessons: components['schemas']['ManifestLesson'][];
      truncated: boolean;
    };
    ManifestOrganization: {
      /** Format: uuid */
      id: string;
      slug: string;
      name: string;
      website: string | null;
      timezone: string;
      defaultCurrency: string | null;
      departments: components['schemas']['Departments'];
      constraints: components['schemas']['Constraints'];
      limits: components['schemas']['Limits'];
      authorizationEpoch: number;
    };
    ManifestPlan: {
      graphRevision: number;
      limits: components['schemas']['Limits'];
    };
    ManifestProfile: {
      /** Format: uuid */
      id: string;
      key: string;
      name: string;
      kind: string;
      department: string | null;
      instructions: string | null;
      instructionsUri: string;
      catalogRevision: string;
      config: components['schemas']['AgentProfileConfig'];
    };
    ManifestPurpose: {
      organization: string | null;
      department: string | null;
    };
    ManifestTaskRun: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'task_run';
      /** Format: uuid */
      executionId: string;
      organization: components['schemas']['ManifestOrganization'];
      profile: components['schemas']['ManifestProfile'];
      attempt: number;
      task: components['schemas']['Task'];
      /** @enum {string} */
      mode: 'plan' | 'execute' | 'verify';
      budgetLeft: components['schemas']['RunBudget'];
      dependencies: components['schemas']['RelatedTask'][];
      children: components['schemas']['RelatedTask'][];
      artifactInputs: components['schemas']['ResolvedInput'][];
      priorAttempts: components['schemas']['PriorAttempt'][];
      unverified: components['schemas']['RelatedTask'] | null;
      verificationFindings: components['schemas']['Finding'][];
      answers: components['schemas']['ManifestAnswer'][];
      decisions: components['schemas']['DecidedAction'][];
      unresolvedActions: components['schemas']['UnresolvedAction'][];
      plan: components['schemas']['ManifestPlan'];
      checkpoints: components['schemas']['CheckpointKey'][];
      integrations: components['schemas']['ManifestIntegration'][];
      context: components['schemas']['ContextEntry'][];
      memory: components['schemas']['ManifestMemory'] | null;
      learning?: components['schemas']['ManifestLearning'];
      /** Format: date-time */
      issuedAt: string;
    };
    ManifestTool: {
      name: string;
      title: string | null;
      /** @enum {string} */
      access: 'read' | 'write';
      /** @enum {string} */
      risk: 'low' | 'external' | 'high';
      /** @enum {string} */
      approval: 'none' | 'required';
    };
    Message: {
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
      author: components['schemas']['MessageAuthor'] | null;
      parts: components['schemas']['MessagePart'][];
      error: components['schemas']['MessageError'] | null;
      /** Format: date-time */
      completedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    MessageAuthor: {
      /** @enum {string} */
      kind: 'human';
      displayName: string;
    };
    MessageError: {
      code: string;
      message: string;
      retryable: boolean;
    };
    MessagePart: {
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
    NewInboxPresentation: {
      summary?: string;
      businessImpact?: string;
      recommendation?: string;
      options?: components['schemas']['InboxOption'][];
      recommendedOptionId?: string;
      /** @default true */
      allowFreeText?: boolean;
    };
    NewLesson: {
      key: string;
      lesson: string;
      sourceTaskIds?: string[];
      evidence?: components['schemas']['LessonEvidence'][];
      humanInboxItemIds?: string[];
      supersedes?: string | null;
    };
    NewMessagePart: {
      /** @enum {string} */
      kind: 'text';
      text: string;
    };
    Observation: {
      scope: string;
      /** @enum {string} */
      status: 'verified' | 'failed' | 'unknown';
      /** Format: date-time */
      checkedAt: string;
      /** @enum {string} */
      code?:
        | 'not_found'
        | 'rejected'
        | 'credential_refused'
        | 'scope_lost'
        | 'rate_limited'
        | 'unavailable'
        | 'bad_answer'
        | 'credential_unreadable'
        | 'reauthorization_required'
        | 'client_rejected'
        | 'tools_changed'
        | 'resource_missing';
    };
    Onboarding: {
      /** Format: uuid */
      organizationId: string;
      /** @enum {string} */
      state: 'draft' | 'reviewing' | 'review_ready' | 'completed' | 'failed' | 'discarded';
      departments: ('growth' | 'engineering' | 'support')[];
      sources: components['schemas']['Source'][];
      review: components['schemas']['Review'] | null;
      error: components['schemas']['OnboardingError'] | null;
      /** Format: date-time */
      startedAt: string | null;
      /** Format: date-time */
      completedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    OnboardingError: {
      /** @enum {string} */
      code: 'bytes_damaged' | 'review_failed';
      message: string;
      /** Format: uuid */
      sourceId: string | null;
    };
    OpenInboxItem: {
      /** @enum {string} */
      kind: 'question' | 'notification';
      /** @enum {string} */
      purpose?: 'task' | 'learning_input';
      title: string;
      body: string;
      presentation?: components['schemas']['NewInboxPresentation'];
      /** @enum {string} */
      severity?: 'info' | 'attention' | 'action_required';
      /** Format: date-time */
      expiresAt?: string;
      dedupeKey?: string;
    };
    OperatingContext: {
      departments: ('growth' | 'engineering' | 'support')[];
      organizationPurpose: string | null;
      departmentPurposes: components['schemas']['DepartmentPurposes'];
      policy: string | null;
      businessFunctions: string[];
      taskPatterns: string[];
      workflowKeys: string[];
      resources: components['schemas']['RepositoryResource'][];
    };
    Organization: {
      /** Format: uuid */
      id: string;
      slug: string;
      name: string;
      /** @enum {string} */
      status: 'active' | 'onboarding' | 'deleting';
      website: string | null;
      defaultCurrency: string | null;
      /** Format: date-time */
      onboardedAt: string | null;
      /** Format: date-time */
      workDispatchStoppedAt: string | null;
      rootUri: string;
      authorizationEpoch: number;
      config: components['schemas']['OrganizationConfig'];
      constraints: components['schemas']['Constraints'];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    OrganizationConfig: {
      timezone: string;
      departments: components['schemas']['Departments'];
      limits: components['schemas']['Limits'];
      storageRootUri: string;
    };
    OutcomeIssue: {
      path: string;
      code: string;
      message: string;
    };
    Output: {
      /** @enum {string} */
      kind: 'task_result';
      result: components['schemas']['WorkerResult'];
    };
    Pagination: {
      cursor: string | null;
      limit: number;
      nextCursor: string | null;
      previousCursor: string | null;
      hasNextPage: boolean;
      hasPreviousPage: boolean;
    };
    PlanDependency: {
      taskRef: string;
      /** @default true */
      required?: boolean;
      condition?: components['schemas']['CreateCondition'];
    };
    PostMessage: {
      author: components['schemas']['MessageAuthor'];
      parts: components['schemas']['NewMessagePart'][];
    };
    PostedMessage: {
      userMessage: components['schemas']['Message'];
      assistantMessage: components['schemas']['Message'];
    };
    PriorAttempt: {
      /** Format: uuid */
      runId: string;
      /** @enum {string} */
      status: 'starting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired';
      error: components['schemas']['RunError'] | null;
    };
    ProfileGrants: {
      profileGrants: string[];
      readOnlyProfileKeys: string[];
      expectedRevision?: number;
    };
    ProfileMemory: {
      /** @enum {string} */
      kind: 'profile_memory';
      profileKey: string;
      revision: number;
      /** Format: uuid */
      watermarkTaskId: string | null;
      lessons: components['schemas']['Lesson'][];
      suggestions: components['schemas']['Suggestion'][];
      /** Format: date-time */
      lastLearnedAt: string | null;
      /** Format: date-time */
      cycleStartedAt: string | null;
      /** Format: uuid */
      sourceTaskId: string | null;
    };
    ProposeAction: {
      /**
       * @default tool_call
       * @enum {string}
       */
      kind?: 'tool_call' | 'webhook_call';
      connectorKey: string;
      toolName: string;
      arguments: {
        [key: string]: unknown;
      };
      title: string;
      summary: string;
      /** @enum {string} */
      risk?: 'low' | 'external' | 'high';
      dedupeKey?: string;
      /** Format: date-time */
      expiresAt?: string;
    };
    PublishKnowledge: {
      key: string;
      title: string;
      finding: string;
      /** @default  */
      applicability?: string;
      procedure?: string[];
      /** @enum {string} */
      visibility: 'organization' | 'department' | 'restricted';
      requiredConnectorKeys?: string[];
      sourceVersions?: components['schemas']['SourceVersion'][];
      evidence: components['schemas']['Evidence'][];
      /** Format: date-time */
      validUntil?: string;
      /** Format: uuid */
      expectedSupersedes?: string | null;
    };
    PutCredential:
      | components['schemas']['PutCredentialApiKey']
      | components['schemas']['PutCredentialNone']
      | components['schemas']['PutCredentialRestToken']
      | components['schemas']['PutCredentialSrv']
      | components['schemas']['PutCredentialRole']
      | components['schemas']['PutCredentialAppInstallation']
      | components['schemas']['PutCredentialToken'];
    PutCredentialApiKey: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'api_key';
      apiKey: string;
      header?: string;
    };
    PutCredentialAppInstallation: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'app_installation';
      installationId: string;
    };
    PutCredentialNone: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'none';
    };
    PutCredentialRestToken: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'rest_token';
      url: string;
      token: string;
    };
    PutCredentialRole: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'role';
      roleArn: string;
      externalId: string;
    };
    PutCredentialSrv: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'srv';
      clusterHost: string;
      username: string;
      password: string;
    };
    PutCredentialToken: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'token';
      token: string;
    };
    PutDurabilityRow: {
      kind: string;
      payload: {
        [key: string]: unknown;
      };
      expectedVersion: number;
      /** Format: date-time */
      expiresAt?: string | null;
    };
    PutSettings: {
      settings: components['schemas']['ConnectorSettings'];
      expectedSettings?: {
        [key: string]: unknown;
      };
    };
    Receipt: {
      /** @enum {string} */
      kind: 'command';
      id: string;
      commandHash: string;
      status: string;
      exitCode: number | null;
    };
    Reconcile: {
      /** @enum {string} */
      outcome: 'succeeded' | 'failed' | 'not_executed';
      note: string;
    };
    Recover: {
      /** Format: uuid */
      bootId: string;
      /** @default false */
      alone?: boolean;
    };
    Recovered: {
      runs: string[];
      claims: string[];
      turns: string[];
      retryAfterMs: number | null;
    };
    RelatedResult:
      | components['schemas']['RelatedResultCompleted']
      | components['schemas']['RelatedResultFailed']
      | components['schemas']['RelatedResultCancelled'];
    RelatedResultCancelled: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'cancelled';
      /** @enum {string} */
      code?:
        | 'budget_exhausted'
        | 'attempts_exhausted'
        | 'run_failed'
        | 'run_cancelled'
        | 'liveness_violation'
        | 'cancelled'
        | 'profile_deleted';
      message?: string;
      /** Format: uuid */
      runId?: string | null;
      truncated?: boolean;
    };
    RelatedResultCompleted: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'completed';
      summary?: string;
      artifacts?: components['schemas']['Artifact'][];
      truncated?: boolean;
    };
    RelatedResultFailed: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'failed';
      /** @enum {string} */
      code?:
        | 'budget_exhausted'
        | 'attempts_exhausted'
        | 'run_failed'
        | 'run_cancelled'
        | 'liveness_violation'
        | 'cancelled'
        | 'profile_deleted';
      message?: string;
      /** Format: uuid */
      runId?: string | null;
      truncated?: boolean;
    };
    RelatedTask: {
      /** Format: uuid */
      taskId: string;
      identifier: string;
      title: string;
      /** @enum {string} */
      status: 'pending' | 'running' | 'blocked' | 'completed' | 'failed' | 'cancelled';
      result: components['schemas']['RelatedResult'] | null;
      /** Format: uuid */
      runId: string | null;
    };
    Released: {
      /** Format: uuid */
      runRequestId: string;
      /** @enum {string} */
      status: 'queued' | 'claimed' | 'running' | 'completed' | 'failed' | 'cancelled' | 'superseded';
    };
    RemoveDependencyOperation: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'remove_dependency';
      task: string;
      dependsOn: string;
    };
    RepositoryResource: {
      /** @enum {string} */
      kind: 'repository';
      externalId: string;
      name: string;
      url: string;
      defaultBranch: string;
      departments: ('growth' | 'engineering' | 'support')[];
    };
    RequestCapability: {
      authorizationEpoch: number;
    };
    Requirement: {
      connectorKey?: string;
      purpose?: string;
      /** @enum {string} */
      need: 'connected' | 'tool' | 'write_access' | 'grant';
      toolName?: string;
    };
    ResolvedInput: {
      /** Format: uuid */
      taskId: string;
      identifier: string;
      /** @enum {string} */
      status: 'pending' | 'running' | 'blocked' | 'completed' | 'failed' | 'cancelled';
      artifactKind: string;
      /** Format: uuid */
      runId: string | null;
      artifacts: components['schemas']['Artifact'][];
      truncated?: boolean;
    };
    Respond: {
      response: string;
    };
    Review: {
      version: number;
      extractorVersion: string;
      /** Format: uuid */
      organizationId: string;
      facts: components['schemas']['ReviewFacts'];
      sources: components['schemas']['ReviewedSource'][];
      warnings: components['schemas']['ReviewWarning'][];
      summary: string;
      sha256: string;
    };
    ReviewFacts: {
      name: string;
      slug: string;
      timezone: string;
      departments: ('growth' | 'engineering' | 'support')[];
      website: string | null;
      defaultCurrency: string | null;
    };
    ReviewWarning: {
      /** @enum {string} */
      code:
        | 'empty_file'
        | 'encrypted'
        | 'damaged'
        | 'content_mismatch'
        | 'no_text'
        | 'too_complex'
        | 'text_truncated'
        | 'charset_guessed'
        | 'duplicate'
        | 'department_not_chosen'
        | 'department_without_material'
        | 'website_missing'
        | 'currency_missing';
      /** Format: uuid */
      sourceId: string | null;
      /** @enum {string|null} */
      department: 'growth' | 'engineering' | 'support' | null;
      message: string;
    };
    ReviewedSource: {
      /** Format: uuid */
      sourceId: string;
      sha256: string;
      sizeBytes: number;
      /** @enum {string} */
      kind: 'file' | 'note';
      fileName: string;
      mediaType: string;
      foundMediaType: string | null;
      /** @enum {string|null} */
      department: 'growth' | 'engineering' | 'support' | null;
      characters: number;
      pages: number | null;
      truncated: boolean;
    };
    Revocation: {
      reason: string;
      by: components['schemas']['KnowledgeRevoker'];
      /** Format: date-time */
      at: string;
    };
    RevokedFromManifest: {
      key: string;
      lesson: string;
      reason: string;
    };
    Run: {
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      taskId: string;
      /** Format: uuid */
      runRequestId: string;
      agentProfile: components['schemas']['RunProfile'];
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
      output: components['schemas']['RunOutput'] | null;
      error: components['schemas']['RunError'] | null;
      usage: components['schemas']['Usage'];
      /** Format: date-time */
      startedAt: string;
      /** Format: date-time */
      finishedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    RunBudget: {
      agentRuns: number;
      attemptsInPhase: number;
      replans: number;
      actions: number;
    };
    RunEnded: {
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
    RunError: {
      code: string;
      message: string;
      /** @enum {string} */
      class: 'transient' | 'quota' | 'auth' | 'config' | 'agent' | 'protocol' | 'infrastructure' | 'cancelled';
      retryable: boolean;
      retryAfterSeconds: number | null;
      /** Format: date-time */
      at: string;
    };
    RunFailure: {
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
    RunLog: {
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
    RunOutput: {
      /** @enum {string} */
      kind: 'task_result';
      result: components['schemas']['RunResult'];
    };
    RunProfile: {
      /** Format: uuid */
      id: string;
      key: string;
      name: string;
      kind: string;
      department: string | null;
      status: string;
    };
    RunResult:
      | components['schemas']['RunResultCompleted']
      | components['schemas']['RunResultActionWait']
      | components['schemas']['RunResultHandoff']
      | components['schemas']['RunResultIntegrationWait']
      | components['schemas']['RunResultPlanned']
      | components['schemas']['RunResultVerification']
      | components['schemas']['RunResultLearning'];
    RunResultActionWait: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'action_wait';
      summary: string;
      actionIds: string[];
    };
    RunResultCompleted: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'completed';
      summary: string;
      artifacts: components['schemas']['Artifact'][];
    };
    RunResultHandoff: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'handoff';
      summary: string;
      /** Format: uuid */
      inboxItemId: string;
    };
    RunResultIntegrationWait: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'integration_wait';
      summary: string;
      requirements: components['schemas']['Requirement'][];
    };
    RunResultLearning: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'learning';
      summary: string;
      expectedRevision: number;
      /** Format: uuid */
      watermarkTaskId: string;
      lessons: {
        [key: string]: unknown;
      }[];
      suggestions: {
        [key: string]: unknown;
      }[];
    };
    RunResultPlanned: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'planned';
      summary: string;
      expectedGraphRevision: number;
      operations: (
        | components['schemas']['CreateTaskOperation']
        | components['schemas']['AddDependencyOperation']
        | components['schemas']['RemoveDependencyOperation']
        | components['schemas']['WaiveDependencyOperation']
        | components['schemas']['UpdateTaskOperation']
        | components['schemas']['CancelTaskOperation']
      )[];
    };
    RunResultVerification: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'verification';
      summary: string;
      /** @enum {string} */
      verdict: 'accepted' | 'rejected';
      findings: components['schemas']['Finding'][];
    };
    RunRunning: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      harness: string;
      model: string;
      workspaceUri: string;
    };
    RunStatus: {
      /** @enum {string} */
      status: 'starting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired';
      cancelRequested: boolean;
    };
    Runtime: {
      model: string;
      reasoningEffort: string;
    };
    ServerIdentity: {
      name: string;
      version: string;
    };
    ShownEvidence: {
      /** Format: uuid */
      runId: string | null;
      path: string;
      sha256: string;
      /** Format: uuid */
      sourceId?: string;
    };
    Source: {
      /** Format: uuid */
      sourceId: string;
      /** @enum {string} */
      kind: 'file' | 'note';
      fileName: string;
      mediaType: string;
      sizeBytes: number;
      sha256: string;
      /** @enum {string|null} */
      department: 'growth' | 'engineering' | 'support' | null;
      /** Format: date-time */
      createdAt: string;
    };
    SourceVersion: {
      source: string;
      version: string;
      connectorKey?: string;
    };
    StageOutcome:
      | components['schemas']['StageOutcomePlanned']
      | components['schemas']['StageOutcomeHandoff']
      | components['schemas']['StageOutcomeVerification']
      | components['schemas']['StageOutcomeLearning'];
    StageOutcomeHandoff: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'handoff';
      summary: string;
      /** Format: uuid */
      inboxItemId: string;
    };
    StageOutcomeLearning: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'learning';
      summary: string;
      expectedRevision: number;
      /** Format: uuid */
      watermarkTaskId: string | null;
      lessons: components['schemas']['NewLesson'][];
      suggestions: components['schemas']['Suggestion'][];
    };
    StageOutcomePlanned: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'planned';
      summary: string;
      expectedGraphRevision: number;
      operations: (
        | components['schemas']['CreateTaskOperation']
        | components['schemas']['AddDependencyOperation']
        | components['schemas']['RemoveDependencyOperation']
        | components['schemas']['WaiveDependencyOperation']
        | components['schemas']['UpdateTaskOperation']
        | components['schemas']['CancelTaskOperation']
      )[];
    };
    StageOutcomeVerification: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'verification';
      summary: string;
      /** @enum {string} */
      verdict: 'accepted' | 'rejected';
      findings: components['schemas']['Finding'][];
    };
    StagedOutcome: {
      /** Format: uuid */
      outcomeId: string | null;
      digest: string;
      issues: components['schemas']['OutcomeIssue'][];
    };
    StartRun: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      /** Format: uuid */
      runId: string;
      workerId: string;
      /** Format: uuid */
      bootId?: string;
    };
    StartedRun: {
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
    StoredArtifact: {
      /** Format: uuid */
      runId: string;
      sha256: string;
      sizeBytes: number;
      /** Format: date-time */
      createdAt: string;
    };
    Suggestion: {
      key: string;
      title: string;
      rationale: string;
      prompt: string;
      evidence?: components['schemas']['LessonEvidence'][];
    };
    Task: {
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
      spec: components['schemas']['TaskSpec'];
      state: components['schemas']['TaskState'];
      result: components['schemas']['TaskResult'] | null;
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
    TaskDependency: {
      /** Format: uuid */
      organizationId: string;
      /** Format: uuid */
      taskId: string;
      /** Format: uuid */
      dependsOnTaskId: string;
      /** @enum {string} */
      status: 'pending' | 'satisfied' | 'failed' | 'waived';
      required: boolean;
      condition: components['schemas']['DependencyCondition'];
      failure: components['schemas']['DependencyFailure'] | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      satisfiedAt: string | null;
      /** Format: date-time */
      failedAt: string | null;
    };
    TaskGraph: {
      /** Format: uuid */
      focusTaskId: string;
      /** Format: uuid */
      rootTaskId: string;
      totalTasks: number;
      truncated: boolean;
      tasks: components['schemas']['Task'][];
      relatedTasks: components['schemas']['Task'][];
      dependencies: components['schemas']['TaskDependency'][];
    };
    TaskResult:
      | components['schemas']['TaskResultCompleted']
      | components['schemas']['TaskResultFailed']
      | components['schemas']['TaskResultCancelled'];
    TaskResultCancelled: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'cancelled';
      /** @enum {string} */
      code:
        | 'budget_exhausted'
        | 'attempts_exhausted'
        | 'run_failed'
        | 'run_cancelled'
        | 'liveness_violation'
        | 'cancelled'
        | 'profile_deleted';
      message: string;
      /** Format: uuid */
      runId: string | null;
    };
    TaskResultCompleted: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'completed';
      summary: string;
      artifacts: components['schemas']['Artifact'][];
    };
    TaskResultFailed: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'failed';
      /** @enum {string} */
      code:
        | 'budget_exhausted'
        | 'attempts_exhausted'
        | 'run_failed'
        | 'run_cancelled'
        | 'liveness_violation'
        | 'cancelled'
        | 'profile_deleted';
      message: string;
      /** Format: uuid */
      runId: string | null;
    };
    TaskSpec: {
      objective: string;
      inputs: (
        | components['schemas']['TextInput']
        | components['schemas']['AttachmentInput']
        | components['schemas']['ArtifactInput']
        | components['schemas']['UriInput']
      )[];
      acceptanceCriteria: components['schemas']['AcceptanceCriterion'][];
      budget: components['schemas']['Budget'];
      /** @enum {string} */
      verification: 'none' | 'required';
    };
    TaskState: {
      blockers: components['schemas']['Blocker'][];
      activeRunIds: string[];
    };
    TextInput: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'text';
      text: string;
    };
    ToolCall: {
      /** @enum {string} */
      status: 'succeeded' | 'failed' | 'action';
      output?: {
        [key: string]: unknown;
      } | null;
      truncated?: boolean;
      error?: components['schemas']['CallError'];
      action?: components['schemas']['ActionDetail'];
    };
    TurnHeartbeat: {
      /** @enum {string} */
      status: 'pending' | 'streaming' | 'cancelling' | 'complete' | 'failed' | 'cancelled';
      revision: number;
      cancelRequested: boolean;
      /** Format: date-time */
      leaseExpiresAt: string;
      executionToken: string | null;
    };
    TurnRunning: {
      /** Format: uuid */
      organizationId: string;
      leaseToken: string;
      harness: string;
      model: string;
      harnessSessionId?: string;
    };
    TurnState: {
      /** @enum {string} */
      status: 'pending' | 'streaming' | 'cancelling' | 'complete' | 'failed' | 'cancelled';
      revision: number;
      cancelRequested: boolean;
    };
    UnresolvedAction: {
      /** Format: uuid */
      actionId: string;
      reference: string;
      /** @enum {string} */
      status: 'awaiting_approval' | 'approved' | 'executing' | 'reconciliation_required';
      title: string;
      /** Format: uuid */
      runId: string | null;
    };
    UpdateLimits: {
      maxTaskDepth?: number;
      maxPlanOperations?: number;
      maxInitiativeDescendants?: number;
      maxLiveRuns?: number;
    };
    UpdateTaskOperation: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'update_task';
      task: string;
      objective?: string;
      acceptanceCriteria?: components['schemas']['AcceptanceCriterion'][];
      priority?: number;
      /** Format: date-time */
      dueAt?: string;
    };
    UpdateTools: {
      /** @enum {string} */
      accessMode: 'read_only' | 'ask_before_write' | 'autonomous';
      tools?: string[];
      reviewRequiredTools?: string[];
      expectedRevision?: number;
    };
    UriInput: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'uri';
      uri: string;
    };
    Usage: {
      inputTokens: number;
      outputTokens: number;
      toolCalls: number;
      costMinorUnits: number;
    };
    WaiveDependencyOperation: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'waive_dependency';
      task: string;
      dependsOn: string;
    };
    WarnedMeta: {
      /** Format: date-time */
      timestamp: string;
      requestId?: string;
      traceId?: string;
      warnings?: components['schemas']['Issue'][];
    };
    WebhookWithSecret: {
      /** Format: uuid */
      id: string;
      url: string;
      events: (
        | 'inbox.item.opened'
        | 'action.decided'
        | 'action.finished'
        | 'task.ended'
        | 'run.failed'
        | 'chat.message.completed'
      )[];
      /** @enum {string} */
      status: 'enabled' | 'disabled';
      description: string;
      revision: number;
      /** @enum {string|null} */
      disabledReason: 'owner' | 'gone' | 'failing' | null;
      /** Format: date-time */
      previousSecretExpiresAt: string | null;
      /** Format: date-time */
      failingSince: string | null;
      /** Format: date-time */
      lastDeliveryAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      secret: string | null;
    };
    WorkerResult:
      | components['schemas']['WorkerResultCompleted']
      | components['schemas']['WorkerResultActionWait']
      | components['schemas']['WorkerResultHandoff']
      | components['schemas']['WorkerResultIntegrationWait']
      | components['schemas']['WorkerResultPlanned']
      | components['schemas']['WorkerResultVerification']
      | components['schemas']['WorkerResultLearning'];
    WorkerResultActionWait: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'action_wait';
      summary: string;
      actionIds: string[];
    };
    WorkerResultCompleted: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'completed';
      summary: string;
      artifacts?: components['schemas']['Artifact'][];
    };
    WorkerResultHandoff: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'handoff';
      summary: string;
      /** Format: uuid */
      inboxItemId?: string;
      staged?: {
        [key: string]: unknown;
      };
    };
    WorkerResultIntegrationWait: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'integration_wait';
      summary: string;
      requirements: components['schemas']['Requirement'][];
    };
    WorkerResultLearning: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'learning';
      summary: string;
      staged?: {
        [key: string]: unknown;
      };
    };
    WorkerResultPlanned: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'planned';
      summary: string;
      staged?: {
        [key: string]: unknown;
      };
    };
    WorkerResultVerification: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'verification';
      summary: string;
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
  'agent.actions.propose': {
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
        'application/json': components['schemas']['ProposeAction'];
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
            data: components['schemas']['ActionDetail'];
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
            data: components['schemas']['ActionDetail'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.runArtifacts.store': {
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
            data: components['schemas']['StoredArtifact'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.durability.read': {
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
            data: components['schemas']['DurabilityRow'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.durability.put': {
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
        'application/json': components['schemas']['PutDurabilityRow'];
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
            data: components['schemas']['DurabilityRow'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.execution.read': {
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
            data: components['schemas']['Manifest'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.execution.stage': {
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
        'application/json': components['schemas']['StageOutcome'];
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
            data: components['schemas']['StagedOutcome'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.inbox.open': {
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
        'application/json': components['schemas']['OpenInboxItem'];
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
            data: components['schemas']['InboxItem'];
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
            data: components['schemas']['InboxItem'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.integrations.capability': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        integrationKey: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RequestCapability'];
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
            data: components['schemas']['Capability'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.knowledge.list': {
    parameters: {
      query?: {
        search?: string;
        cursor?: string;
        limit?: number;
        freshness?: ('revoked' | 'superseded' | 'expired' | 'source_changed' | 'current')[];
        department?: 'growth' | 'engineering' | 'support';
        origin?: 'execution' | 'material';
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
            data: components['schemas']['KnowledgePage'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.knowledge.publish': {
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
        'application/json': components['schemas']['PublishKnowledge'];
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
            data: components['schemas']['KnowledgeDetail'];
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
            data: components['schemas']['KnowledgeDetail'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.knowledge.read': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        knowledgeId: string;
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
            data: components['schemas']['KnowledgeDetail'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.tasks.list': {
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
            data: components['schemas']['Task'][];
            pagination: components['schemas']['Pagination'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.tasks.create': {
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
        'application/json': components['schemas']['CreateRootTask'];
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
            data: components['schemas']['Task'];
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
            data: components['schemas']['Task'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.tasks.read': {
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
            data: components['schemas']['Task'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'turns.claim': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ClaimTurns'];
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
            data: components['schemas']['ClaimedTurn'][];
            meta: components['schemas']['WarnedMeta'];
          };
        };
      };
    };
  };
  'turns.append': {
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
        'application/json': components['schemas']['Append'];
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
            data: components['schemas']['Appended'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'turns.cancelled': {
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
        'application/json': components['schemas']['CancelledTurn'];
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
            data: components['schemas']['TurnState'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'turns.complete': {
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
        'application/json': components['schemas']['CompleteTurn'];
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
            data: components['schemas']['TurnState'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'turns.fail': {
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
        'application/json': components['schemas']['FailTurn'];
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
            data: components['schemas']['TurnState'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'turns.heartbeat': {
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
        'application/json': components['schemas']['Beat'];
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
            data: components['schemas']['TurnHeartbeat'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'turns.running': {
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
        'application/json': components['schemas']['TurnRunning'];
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
            data: components['schemas']['TurnState'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agent.gateway.call': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        integrationId: string;
        toolName: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CallTool'];
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
            data: components['schemas']['ToolCall'];
            meta: components['schemas']['Meta'];
          };
        };
      };
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 202;
            message: string;
            data: components['schemas']['ToolCall'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'runRequests.claim': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Claim'];
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
            data: components['schemas']['Claimed'][];
            meta: components['schemas']['WarnedMeta'];
          };
        };
      };
    };
  };
  'runRequests.release': {
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
        'application/json': components['schemas']['Lease'];
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
            data: components['schemas']['Released'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'runRequests.start': {
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
        'application/json': components['schemas']['StartRun'];
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
            data: components['schemas']['StartedRun'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'runs.complete': {
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
        'application/json': components['schemas']['CompleteRun'];
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
            data: components['schemas']['RunEnded'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'runs.fail': {
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
        'application/json': components['schemas']['FailRun'];
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
            data: components['schemas']['RunEnded'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'runs.heartbeat': {
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
        'application/json': components['schemas']['Beat'];
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
            data: components['schemas']['Heartbeat'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'runs.appendLogs': {
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
        'application/json': components['schemas']['AppendLogs'];
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
            data: components['schemas']['AppendedLogs'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'runs.running': {
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
        'application/json': components['schemas']['RunRunning'];
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
            data: components['schemas']['RunStatus'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'workers.recover': {
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
        'application/json': components['schemas']['Recover'];
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
            data: components['schemas']['Recovered'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'onboardings.create': {
    parameters: {
      query?: never;
      header?: {
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateOrganizationShell'];
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
            data: components['schemas']['Onboarding'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'organizations.create': {
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
        'application/json': components['schemas']['CreateOrganization'];
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
            data: components['schemas']['CreatedOrganization'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'actions.read': {
    parameters: {
      query?: never;
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
            data: components['schemas']['ActionDetail'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'actions.approve': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Decision'];
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
            data: components['schemas']['ActionDetail'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'actions.reconcile': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Reconcile'];
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
            data: components['schemas']['ActionDetail'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'actions.reject': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Decision'];
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
            data: components['schemas']['ActionDetail'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'agentProfiles.list': {
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
            data: components['schemas']['AgentProfile'][];
            pagination: components['schemas']['Pagination'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'chats.list': {
    parameters: {
      query?: {
        limit?: number;
        order?: 'asc' | 'desc';
        createdAfter?: string;
        createdBefore?: string;
        updatedAfter?: string;
        updatedBefore?: string;
        cursor?: string;
        status?: ('open' | 'archived')[];
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
            data: components['schemas']['Chat'][];
            pagination: components['schemas']['Pagination'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'messages.post': {
    parameters: {
      query?: never;
      header?: {
        'Idempotency-Key'?: string;
      };
      path: {
        organizationId: string;
        chatId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PostMessage'];
      };
    };
    responses: {
      202: {
        headers: {
          'Idempotent-Replayed'?: 'true';
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @constant */
            statusCode: 202;
            message: string;
            data: components['schemas']['PostedMessage'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'discovery.read': {
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
            data: components['schemas']['Discovery'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'inbox.list': {
    parameters: {
      query?: {
        limit?: number;
        order?: 'asc' | 'desc';
        createdAfter?: string;
        createdBefore?: string;
        updatedAfter?: string;
        updatedBefore?: string;
        cursor?: string;
        status?: ('open' | 'answered' | 'acknowledged' | 'resolved' | 'expired' | 'withdrawn')[];
        kind?: ('question' | 'notification' | 'approval' | 'reconciliation')[];
        severity?: ('info' | 'attention' | 'action_required')[];
        purpose?: ('task' | 'learning_input')[];
        taskId?: string;
        chatId?: string;
        runId?: string;
        actionId?: string;
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
            data: components['schemas']['InboxItem'][];
            pagination: components['schemas']['Pagination'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'inbox.read': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        inboxItemId: string;
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
            data: components['schemas']['InboxItem'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'inbox.respond': {
    parameters: {
      query?: never;
      header?: {
        'Idempotency-Key'?: string;
      };
      path: {
        organizationId: string;
        inboxItemId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Respond'];
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
            data: components['schemas']['InboxItem'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'discovery.completeIntegrationSetup': {
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
            data: components['schemas']['Discovery'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'integrations.create': {
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
        'application/json': components['schemas']['CreateIntegration'];
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
            data: components['schemas']['Integration'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'integrations.delete': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        integrationRef: string;
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
            data: components['schemas']['Integration'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'integrations.mapContext': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        integrationRef: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ContextMapping'];
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
            data: components['schemas']['Integration'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'integrationCredentials.put': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        integrationRef: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PutCredential'];
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
            data: components['schemas']['Integration'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'integrationTools.discover': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        integrationRef: string;
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
            data: components['schemas']['DiscoveredTools'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'integrations.setProfiles': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        integrationRef: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ProfileGrants'];
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
            data: components['schemas']['Integration'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'integrationSettings.update': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        integrationRef: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PutSettings'];
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
            data: components['schemas']['Integration'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'integrationTools.update': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        integrationRef: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateTools'];
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
            data: components['schemas']['Integration'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'knowledge.list': {
    parameters: {
      query?: {
        search?: string;
        cursor?: string;
        limit?: number;
        freshness?: ('revoked' | 'superseded' | 'expired' | 'source_changed' | 'current')[];
        department?: 'growth' | 'engineering' | 'support';
        origin?: 'execution' | 'material';
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
            data: components['schemas']['KnowledgePage'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'learning.list': {
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
            data: components['schemas']['Learning'][];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'learning.read': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        profileKey: string;
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
            data: components['schemas']['Learning'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'learning.refresh': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        organizationId: string;
        profileKey: string;
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
            data: components['schemas']['LearningCycle'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'messages.read': {
    parameters: {
      query?: never;
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
            data: components['schemas']['Message'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'onboardings.read': {
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
            data: components['schemas']['Onboarding'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'onboardings.complete': {
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
        'application/json': components['schemas']['CompleteOnboarding'];
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
            data: components['schemas']['CompletedOnboarding'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'sources.store': {
    parameters: {
      query: {
        kind: 'file' | 'note';
        fileName: string;
        mediaType: string;
        department?: 'growth' | 'engineering' | 'support';
      };
      header?: never;
      path: {
        organizationId: string;
        sourceId: string;
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
            data: components['schemas']['Source'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'onboardings.start': {
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
    requestBody?: never;
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
            data: components['schemas']['Onboarding'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'runs.list': {
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
            data: components['schemas']['Run'][];
            pagination: components['schemas']['Pagination'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'runArtifacts.read': {
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
  'runs.logs': {
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
            data: components['schemas']['RunLog'][];
            pagination: components['schemas']['Pagination'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'tasks.create': {
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
        'application/json': components['schemas']['CreateTask'];
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
            data: components['schemas']['Task'];
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
            data: components['schemas']['Task'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'tasks.read': {
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
            data: components['schemas']['Task'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'tasks.graph': {
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
            data: components['schemas']['TaskGraph'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
  'webhooks.create': {
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
        'application/json': components['schemas']['CreateWebhook'];
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
            data: components['schemas']['WebhookWithSecret'];
            meta: components['schemas']['Meta'];
          };
        };
      };
    };
  };
}
