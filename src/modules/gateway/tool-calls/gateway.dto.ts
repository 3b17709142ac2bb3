import {
  Flag,
  Integer,
  JsonObject,
  Name,
  Nested,
  NestedList,
  OneOf,
  OpenObject,
  Sha256,
  Slug,
  Text,
  TextList,
  Uuid,
} from '../../../kernel/validation/index.ts';
import { ActionDetailDto } from '../../actions/index.ts';
import { ACCESS_MODES, type AccessMode, TOOL_ACCESS, type ToolAccess } from '../../integrations/index.ts';
import { type Risk, RISKS } from '../../organizations/index.ts';
import { ARGUMENTS_BYTES } from '../gateway.policy.ts';

export class GatewayParams {
  @Uuid()
  integrationId!: string;
}

export class ToolParams extends GatewayParams {
  @Text({ max: 128, example: 'list_orders', description: 'Name of the tool, percent-encoded where it holds a slash' })
  toolName!: string;
}

export class ToolsQuery {
  @TextList({ max: 100, optional: true, description: 'Only tools of this name; repeatable' })
  name?: string[];
}

export class GatewayToolDto {
  @Text({ example: 'list_orders' })
  name!: string;
  @Text({ nullable: true, example: 'List orders' })
  title!: string | null;
  @Text({ nullable: true, example: 'Orders, the newest first.' })
  description!: string | null;
  @OpenObject({ example: { type: 'object', properties: { status: { type: 'string' } } }, description: 'JSON Schema' })
  inputSchema!: object;
  @OpenObject({ optional: true, description: 'JSON Schema of `structuredContent`' })
  outputSchema?: object;
  @OpenObject({ example: { readOnlyHint: true } })
  annotations!: object;
  @OneOf(TOOL_ACCESS, { example: 'read' })
  access!: ToolAccess;
  @OneOf(RISKS, { example: 'external' })
  risk!: Risk;
  @OneOf(['none', 'required'], { example: 'none', description: 'Whether a person must approve each call' })
  approval!: 'none' | 'required';
  @Sha256({ description: 'Of the definition; another one is never called' })
  definitionHash!: string;
}

export class GatewayToolsDto {
  @Slug({ example: 'mcp-orders' })
  key!: string;
  @OneOf(ACCESS_MODES, { example: 'ask_before_write' })
  accessMode!: AccessMode;
  @Integer({ min: 0, example: 1 })
  toolsRevision!: number;
  @NestedList(() => GatewayToolDto)
  tools!: GatewayToolDto[];
}

export class CallToolDto {
  @JsonObject({
    maxBytes: ARGUMENTS_BYTES,
    example: { status: 'open' },
    description: 'What the tool is called with, as its `inputSchema` says. At most 256 KiB as JSON',
  })
  arguments!: Record<string, unknown>;
  @Name({ optional: true, example: 'Cancel order 1017', description: 'Of a write: what a person reads first' })
  title?: string;
  @Text({
    max: 4_000,
    visible: true,
    optional: true,
    example: 'The customer asked for it in the chat.',
    description: 'Of a write: why',
  })
  summary?: string;
  @OneOf(RISKS, { optional: true, example: 'external', description: 'Of a write; counts where it is the higher one' })
  risk?: Risk;
  @Text({
    max: 200,
    optional: true,
    example: 'cancel-1017',
    description: 'Of a write: unique in the task or chat for ever; by default made of the arguments’ digest',
  })
  dedupeKey?: string;
}

export class CallErrorDto {
  @Text({ example: 'unavailable' })
  code!: string;
  @Text({ example: 'The provider does not answer right now.' })
  message!: string;
  @Integer({ nullable: true, example: null, description: 'HTTP status of the provider’s answer' })
  providerStatus!: number | null;
  @Flag({ example: true, description: 'Whether the same call may go well later' })
  retryable!: boolean;
  @Integer({ nullable: true, example: null })
  retryAfterSeconds!: number | null;
}

export const CALL_STATUSES = ['succeeded', 'failed', 'action'] as const;

export class ToolCallDto {
  @OneOf(CALL_STATUSES, { example: 'succeeded', description: 'Of a write always `action`' })
  status!: (typeof CALL_STATUSES)[number];
  @OpenObject({
    optional: true,
    nullable: true,
    example: { content: [{ type: 'text', text: '2 orders' }] },
    description:
      'Of MCP `{content, structuredContent?, isError}`; of an action the stored result, null until it has succeeded',
  })
  output?: object | null;
  @Flag({ optional: true, example: false, description: 'Whether the output was cut to its bounds' })
  truncated?: boolean;
  @Nested(() => CallErrorDto, { optional: true, description: 'Of a read that failed' })
  error?: CallErrorDto;
  @Nested(() => ActionDetailDto, { optional: true, description: 'Of a write' })
  action?: ActionDetailDto;
}
