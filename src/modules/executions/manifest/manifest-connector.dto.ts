import {
  Flag,
  Integer,
  Nested,
  NestedList,
  OneOf,
  OpenList,
  Slug,
  OpenObject,
  Text,
  TextList,
  Uuid,
} from '../../../kernel/validation/index.ts';
import { ACCESS_MODES, type AccessMode, TOOL_ACCESS, type ToolAccess } from '../../integrations/index.ts';
import { type Risk, RISKS } from '../../organizations/index.ts';

export class ManifestToolDto {
  @Text({ example: 'list_orders' })
  name!: string;
  @Text({ nullable: true, example: 'List orders' })
  title!: string | null;
  @OneOf(TOOL_ACCESS, { example: 'read' })
  access!: ToolAccess;
  @OneOf(RISKS, { example: 'external' })
  risk!: Risk;
  @OneOf(['none', 'required'], { example: 'none', description: 'Whether a person must approve each call' })
  approval!: 'none' | 'required';
}

export class ManifestPurposeDto {
  @Text({ nullable: true, example: 'Orders of the shop' })
  organization!: string | null;
  @Text({ nullable: true, example: null, description: 'Of the profile’s own department' })
  department!: string | null;
}

/** A connector, as far as the execution has to do with it: what its context says describes, and permits nothing. */
export class ManifestIntegrationDto {
  @Slug({ example: 'mcp-orders' })
  key!: string;
  @Uuid()
  integrationId!: string;
  @Text({ example: 'Orders' })
  name!: string;
  @Text({ example: 'mcp' })
  kind!: string;
  @TextList({ example: ['order_management'] })
  purposes!: string[];
  @OpenObject({
    example: { order_management: 1 },
    description: 'By purpose its place among the connectors of it, the preferred one being 1',
  })
  ranks!: Record<string, number>;
  @OneOf(['ready', 'degraded'], { example: 'ready' })
  readiness!: string;
  @OneOf(['full', 'read', 'discovery'], {
    example: 'full',
    description: '`discovery` is without a grant: no capability is given',
  })
  access!: 'full' | 'read' | 'discovery';
  @OneOf(ACCESS_MODES, { example: 'ask_before_write' })
  accessMode!: AccessMode;
  @NestedList(() => ManifestToolDto, {
    description: 'That the execution may call; of a discovery all that may be used',
  })
  tools!: ManifestToolDto[];
  @Nested(() => ManifestPurposeDto)
  purpose!: ManifestPurposeDto;
  @Text({ nullable: true, example: null })
  policy!: string | null;
  @OpenList({ example: [], description: 'Of the own department, or of all' })
  resources!: readonly object[];
  @Integer({ min: 1, example: 1, description: 'What a change of the context names as `expectedRevision`' })
  contextRevision!: number;
  @Flag({ optional: true, description: 'Tools or resources were left out' })
  truncated?: boolean;
}
