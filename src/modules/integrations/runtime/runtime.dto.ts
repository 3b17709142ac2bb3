import {
  Flag,
  Integer,
  ListOf,
  Nested,
  NestedList,
  OneOf,
  PartialUpdate,
  Slug,
  Text,
  TextList,
  Uuid,
} from '../../../kernel/validation/index.ts';
import { DEPARTMENTS, OrganizationParams } from '../../organizations/index.ts';
import { ConnectorDto } from '../integration.dto.ts';
import { ACCESS_MODES, CONNECTION_TYPES, READINESS, TOOL_ACCESS } from '../integration.state.ts';
import { GivenContextDto } from '../operating-context.dto.ts';
import { USE_REFUSALS } from '../readiness/readiness.policy.ts';

function AuthorizationEpoch(): PropertyDecorator {
  return Integer({
    min: 1,
    example: 1,
    description: 'The epoch of the organization that the caller knows; another one is refused',
  });
}

export class EpochQuery {
  @AuthorizationEpoch()
  authorizationEpoch!: number;
}

export class ConnectorKeyParams extends OrganizationParams {
  @Slug({ example: 'mcp-orders' })
  integrationKey!: string;
}

export class ProfileAccessDto {
  @Slug({ example: 'support' })
  key!: string;
  @OneOf(['full', 'read', 'discovery'], { example: 'full', description: '`discovery`: names only, no capability' })
  access!: string;
  @Flag({ description: 'Whether the profile can use it now' })
  available!: boolean;
  @OneOf(USE_REFUSALS, { nullable: true, example: null, description: 'Why not' })
  reason!: string | null;
}

/** A connector as runtimes see it: never credentials, addresses or accounts. */
export class RuntimeConnectorDto extends ConnectorDto {
  @OneOf(CONNECTION_TYPES, { example: 'mcp' })
  connectionType!: string;
  @TextList({ example: ['list_orders'], description: 'Names of the tools that runs may use under the mode' })
  capabilities!: string[];
  @ListOf(DEPARTMENTS, { example: ['support'] })
  departments!: string[];
  @NestedList(() => ProfileAccessDto)
  profiles!: ProfileAccessDto[];
  @Integer({ example: 1 })
  authorizationEpoch!: number;
}

export class OperationDto {
  @Text({ max: 64, optional: true, example: 'order_management', description: 'This, or `connectorKey`' })
  purpose?: string;
  @Slug({ optional: true, example: undefined })
  connectorKey?: string;
  @Text({ max: 128, optional: true, example: undefined, description: 'A tool that it must have' })
  tool?: string;
  @OneOf(TOOL_ACCESS, { example: 'read' })
  access!: 'read' | 'write';
}

export class ResolveDto {
  @Nested(() => OperationDto, { example: { purpose: 'order_management', access: 'read' } })
  operation!: OperationDto;
  @Uuid()
  agentProfileId!: string;
  @AuthorizationEpoch()
  authorizationEpoch!: number;
}

export class CandidateDto {
  @Uuid()
  integrationId!: string;
  @Slug({ example: 'mcp-orders' })
  key!: string;
  @Text({ max: 200, example: 'Orders' })
  name!: string;
  @Flag()
  eligible!: boolean;
  @OneOf(USE_REFUSALS, { nullable: true, example: null, description: 'Why a run in `execute` could not' })
  reason!: string | null;
  @OneOf(READINESS, { example: 'ready' })
  readiness!: string;
  @OneOf(ACCESS_MODES, { example: 'ask_before_write' })
  accessMode!: string;
  @OneOf(['none', 'policy', 'always'], {
    example: 'none',
    description: 'Whether a person sees the call first: `policy` depends on tool and risk',
  })
  approval!: string;
  @TextList({ max: 500, example: ['list_orders'], description: 'Names of its tools for this' })
  tools!: string[];
}

export class ResolvedDto {
  @Integer({ example: 1 })
  authorizationEpoch!: number;
  @Integer({ example: 3 })
  preferencesRevision!: number;
  @Slug({ nullable: true, example: 'mcp-orders', description: 'The first eligible one' })
  selected!: string | null;
  @NestedList(() => CandidateDto, { description: 'Preferred ones first, the others by key' })
  candidates!: CandidateDto[];
}

@PartialUpdate()
export class AgentContextDto {
  @Integer({ min: 1, example: 1, description: 'Refuses another `contextRevision`' })
  expectedRevision!: number;
  @Nested(() => GivenContextDto, {
    example: { organizationPurpose: 'Where customers order' },
    description: 'The fields that change; `departments` are for owners to say',
  })
  context!: GivenContextDto;
  @AuthorizationEpoch()
  authorizationEpoch!: number;
}
