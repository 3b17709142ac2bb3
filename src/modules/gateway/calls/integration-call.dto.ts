import { OpaqueCursor, PageQuery } from '../../../kernel/pagination/index.ts';
import { EXECUTION_KINDS, type ExecutionKind } from '../../../kernel/principals/index.ts';
import { Integer, ListOf, OneOf, Sha256, Slug, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { TOOL_ACCESS, type ToolAccess } from '../../integrations/index.ts';
import { OrganizationParams } from '../../organizations/index.ts';
import { CALL_OUTCOMES, type CallOutcome } from './integration-call.state.ts';

export class IntegrationCallsParams extends OrganizationParams {
  @Text({ max: 200, example: 'mcp-orders', description: 'Id or key of the integration' })
  integrationRef!: string;
}

export class IntegrationCallListQuery extends PageQuery {
  @OpaqueCursor()
  declare cursor?: string;

  @Text({ max: 128, optional: true, description: 'Only calls of this tool' })
  toolName?: string;
  @ListOf(CALL_OUTCOMES, { optional: true, description: 'Repeatable' })
  outcome?: string[];
  @Uuid({ optional: true, description: 'Only calls of this agent profile' })
  agentProfileId?: string;
  @Timestamp({ optional: true, description: 'Only calls after this' })
  createdAfter?: string;
  @Timestamp({ optional: true, description: 'Only calls before this' })
  createdBefore?: string;
}

export class IntegrationCallDto {
  @Uuid()
  id!: string;
  @Timestamp({ description: 'When it ended' })
  at!: string;
  @Uuid()
  integrationId!: string;
  @Slug({ nullable: true, example: 'mcp-orders', description: 'Null where the execution was over' })
  connectorKey!: string | null;
  @Text({ example: 'list_orders' })
  toolName!: string;
  @Sha256({ nullable: true, description: 'Of the definition that was called' })
  definitionHash!: string | null;
  @Uuid()
  agentProfileId!: string;
  @OneOf(EXECUTION_KINDS, { nullable: true, example: 'task_run' })
  execution!: ExecutionKind | null;
  @Uuid({ nullable: true, description: 'The run or turn; null of an action, which names its own' })
  executionId!: string | null;
  @Uuid({ nullable: true, example: null })
  actionId!: string | null;
  @OneOf(TOOL_ACCESS, { nullable: true, example: 'read', description: 'Null where the tool is unknown' })
  access!: ToolAccess | null;
  @Sha256({ description: 'Of the canonical JSON (RFC 8785); contents are not kept' })
  argumentsDigest!: string;
  @Integer({ min: 0, example: 2 })
  argumentsBytes!: number;
  @Sha256({ nullable: true })
  outputDigest!: string | null;
  @Integer({ min: 0, nullable: true, example: 512 })
  outputBytes!: number | null;
  @OneOf(CALL_OUTCOMES, {
    example: 'succeeded',
    description: '`refused` was not let through; `not_executed` and `ambiguous` are of writes',
  })
  outcome!: CallOutcome;
  @Text({ nullable: true, example: null, description: 'Why it did not succeed' })
  code!: string | null;
  @Integer({ nullable: true, example: null, description: 'HTTP status of the provider, where there was one' })
  providerStatus!: number | null;
  @Integer({ min: 0, example: 120 })
  latencyMs!: number;
  @OneOf(['modern', 'legacy'], { nullable: true, example: 'modern', description: 'Era of MCP that the server spoke' })
  era!: 'modern' | 'legacy' | null;
}
