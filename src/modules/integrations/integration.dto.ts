import { OpaqueCursor, PageQuery } from '../../kernel/pagination/index.ts';
import {
  Flag,
  Integer,
  Nested,
  NestedList,
  OneOf,
  OpenObject,
  Slug,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import { OrganizationParams, RISKS } from '../organizations/index.ts';
import { IntegrationRef } from './integration-ref.ts';
import {
  ACCESS_MODES,
  CONNECTION_TYPES,
  CREDENTIAL_KINDS,
  OBSERVATION_CODES,
  OBSERVATION_STATUSES,
  READINESS,
  TOOL_ACCESS,
} from './integration.state.ts';
import { OperatingContextDto } from './operating-context.dto.ts';

const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export class IntegrationParams extends OrganizationParams {
  @IntegrationRef()
  integrationRef!: string;
}

export class IntegrationListQuery extends PageQuery {
  @OpaqueCursor()
  declare cursor?: string;
  @Integer({ min: 1, max: 200, optional: true, default: 20, description: 'Most rows of a page' })
  override limit = 20;
  @OneOf(['asc', 'desc'], { optional: true, default: 'asc', description: 'By key' })
  override order: 'asc' | 'desc' = 'asc';
}

export class ConnectionDto {
  @OneOf(CONNECTION_TYPES, { example: 'mcp' })
  type!: string;
}

export class IntegrationToolDto {
  @Text({ max: 200, example: 'list_orders' })
  name!: string;
  @Text({ min: 0, nullable: true, example: 'List orders' })
  title!: string | null;
  @OneOf(TOOL_ACCESS, { example: 'read', description: 'A read that is to be reviewed counts as a write' })
  access!: string;
  @OneOf(RISKS, { example: 'external' })
  risk!: string;
  @Flag({ description: 'Whether runs may use it, unless it is quarantined' })
  selected!: boolean;
  @Flag({
    example: false,
    description: 'Whether its definition changed since it was selected; selecting it again lifts that',
  })
  quarantined!: boolean;
  @Text({ example: HASH, description: 'SHA-256 of its definition as it is listed; as it was selected where it is not' })
  definitionHash!: string;
}

export class CredentialMetadataDto {
  @OneOf(CREDENTIAL_KINDS, { example: 'api_key' })
  kind!: string;
  @Timestamp()
  connectedAt!: string;
  @OpenObject({
    example: { account: 'Acme Ltd' },
    description: 'What the provider says of the account, without secrets',
  })
  details!: Record<string, unknown>;
}

export class ObservationDto {
  @Text({ max: 200, example: 'credential', description: '`credential`, `tools`, `resource:<id>` or `reporting`' })
  scope!: string;
  @OneOf(OBSERVATION_STATUSES, { example: 'verified' })
  status!: string;
  @Timestamp()
  checkedAt!: string;
  @OneOf(OBSERVATION_CODES, { optional: true, example: 'unavailable', description: 'Why it failed' })
  code?: string;
}

export class IntegrationHealthDto {
  @OneOf(['integration_health'])
  kind!: string;
  @Text({ max: 50, example: '1.0', description: 'Of the credential and settings that were looked at' })
  generation!: string;
  @NestedList(() => ObservationDto)
  observations!: ObservationDto[];
}

export class IntegrationRevisionsDto {
  @Integer({ example: 1 })
  credential!: number;
  @Integer({ example: 0 })
  settings!: number;
  @Integer({ example: 2, description: 'Of access mode, selection and review list' })
  tools!: number;
  @Integer({ example: 0 })
  grants!: number;
}

/** Fields that owners and agents see alike. */
export class ConnectorDto {
  @Uuid()
  id!: string;
  @Slug({ example: 'mcp-orders' })
  key!: string;
  @Text({ max: 200, example: 'Orders' })
  name!: string;
  @Slug({ example: 'mcp', description: 'What it connects to: the key of the catalog, `mcp` for an own MCP server' })
  kind!: string;
  @TextList({ example: ['order_management'] })
  purposes!: string[];
  @Flag({ description: 'The owner’s switch' })
  enabled!: boolean;
  @OneOf(READINESS, {
    example: 'ready',
    description: 'The first reason why it cannot be used; `ready` and `degraded` can',
  })
  readiness!: string;
  @OneOf(ACCESS_MODES, { example: 'ask_before_write' })
  accessMode!: string;
  @TextList({ example: ['send_confirmation'], description: 'Tools of which a person sees each call' })
  reviewRequiredTools!: string[];
  @Nested(() => OperatingContextDto)
  operatingContext!: OperatingContextDto;
  @Integer({ min: 1, example: 1, description: 'Rises with the operating context' })
  contextRevision!: number;
  @Nested(() => IntegrationHealthDto)
  health!: IntegrationHealthDto;
  @Nested(() => IntegrationRevisionsDto, {
    description: 'Each rises when what it counts changes; `expectedRevision` of changes is compared with it',
  })
  revisions!: IntegrationRevisionsDto;
}

export class IntegrationDto extends ConnectorDto {
  @Uuid()
  organizationId!: string;
  @Text({ min: 0, max: 2_000, example: 'Our shop' })
  description!: string;
  @Nested(() => ConnectionDto)
  connection!: ConnectionDto;
  @Text({
    nullable: true,
    example: 'https://orders.acme.example/mcp',
    description:
      'Of an own MCP server. Viewers, and tokens without the scope `settings`, see its origin only, since path and query may be a secret',
  })
  endpoint!: string | null;
  @NestedList(() => IntegrationToolDto)
  tools!: IntegrationToolDto[];
  @TextList({ example: ['chat', 'operator', 'support'], description: 'Keys of the profiles that may use it' })
  profileGrants!: string[];
  @TextList({ example: ['operator'], description: 'Those of them that may only read; the operator always is' })
  readOnlyProfileKeys!: string[];
  @Flag({ example: false, description: 'Whether the service has this kind of connector no more' })
  retired!: boolean;
  @Nested(() => CredentialMetadataDto, { nullable: true })
  credentialMetadata!: CredentialMetadataDto | null;
  @Flag({ example: false })
  hasReportingCredentials!: boolean;
  @OpenObject({ nullable: true, example: null, description: 'By `kind`; null while there are none' })
  settings!: Record<string, unknown> | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}
