import { EdgeIssues } from '../../kernel/errors/index.ts';
import { OpaqueCursor, WindowedPageQuery } from '../../kernel/pagination/index.ts';
import {
  Formatted,
  Integer,
  ListOf,
  Name,
  Nested,
  NestedList,
  OneOf,
  PartialUpdate,
  Slug,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import { type Department, DEPARTMENTS } from '../organizations/index.ts';
import {
  PROFILE_KINDS,
  type ProfileKind,
  type ProfileStatus,
  PROFILE_STATUSES,
  RUN_MODES,
  UPDATE_POLICIES,
  type UpdatePolicy,
} from './agent-profile.state.ts';
import { PROFILE_LIVE_RUN_LIMIT } from './agent-profile.state.ts';
import type { TemplateConfig } from './catalog.ts';
import { ReasoningEffort, revisionField, RuntimeDto } from './catalog.dto.ts';

export class AgentProfileParams {
  @Uuid()
  organizationId!: string;
  @Uuid()
  id!: string;
}

export class AgentProfileListQuery extends WindowedPageQuery {
  @OpaqueCursor()
  declare cursor?: string;
  @ListOf(PROFILE_STATUSES, { optional: true, description: 'Repeatable' })
  status?: string[];
  @ListOf(PROFILE_KINDS, { optional: true, description: 'Repeatable' })
  kind?: string[];
  @ListOf(DEPARTMENTS, { optional: true, description: 'Repeatable' })
  department?: string[];
}

export class CatalogSourceDto {
  @Slug({ example: 'growth' })
  templateKey!: string;
  @Text({ example: revisionField.example })
  revision!: string;
  @OneOf(UPDATE_POLICIES, {
    description: '`auto` profiles follow the catalog when the service starts, `pinned` ones keep their revision',
  })
  updatePolicy!: string;
}

export class AgentProfileConfigDto {
  @OneOf(RUN_MODES, { example: 'execute' })
  defaultRunMode!: string;
  @TextList({ example: ['ask-before-write'] })
  toolPolicyKeys!: string[];
  @Text({ example: 'service://organizations/0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11/profiles/growth/memory' })
  memoryRootUri!: string;
  @Nested(() => RuntimeDto)
  runtime!: RuntimeDto;
  @TextList({ example: [] })
  skillKeys!: string[];
  @TextList({ example: [] })
  mcpServerKeys!: string[];
  @Integer({
    example: PROFILE_LIVE_RUN_LIMIT.default,
    description: 'Most runs of the profile that may be live at once',
  })
  maxLiveRuns!: number;
  @Nested(() => CatalogSourceDto)
  catalogSource!: CatalogSourceDto;
}

export class AgentProfileDto {
  @Uuid()
  id!: string;
  @Uuid()
  organizationId!: string;
  @Slug({ example: 'growth' })
  key!: string;
  @Text({ max: 200, example: 'Growth' })
  name!: string;
  @OneOf(PROFILE_KINDS, { example: 'department' })
  kind!: string;
  @OneOf(DEPARTMENTS, { nullable: true })
  department!: string | null;
  @OneOf(PROFILE_STATUSES)
  status!: string;
  @Text({ example: 'service://organizations/0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11/profiles/growth' })
  rootUri!: string;
  @Text({ example: `service://catalog/${revisionField.example}/growth/instructions` })
  instructionsUri!: string;
  @Nested(() => AgentProfileConfigDto)
  config!: AgentProfileConfigDto;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

const uri = {
  test: (text: string) => /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(text) && URL.canParse(text),
  issue: EdgeIssues.invalidUri,
  what: 'an absolute URI',
  max: 2_000,
  optional: true,
};

@PartialUpdate()
export class UpdateRuntimeDto {
  @Text({ max: 200, optional: true, example: 'default' })
  model?: string;
  @ReasoningEffort({ optional: true, example: 'high' })
  reasoningEffort?: string;
}

@PartialUpdate()
export class UpdateCatalogSourceDto {
  @Slug({ optional: true, example: 'growth' })
  templateKey?: string;
  @Formatted({ ...revisionField, optional: true, description: 'A published revision; naming one pins the profile' })
  revision?: string;
  @OneOf(UPDATE_POLICIES, { optional: true, example: 'pinned' })
  updatePolicy?: UpdatePolicy;
}

/** Merged one level deep; lists are replaced. */
@PartialUpdate()
export class UpdateAgentProfileConfigDto {
  @OneOf(RUN_MODES, { optional: true, example: 'execute' })
  defaultRunMode?: string;
  @TextList({ optional: true, example: ['ask-before-write'] })
  toolPolicyKeys?: string[];
  @Formatted({ ...uri, example: 'service://organizations/0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11/profiles/growth/memory' })
  memoryRootUri?: string;
  @Nested(() => UpdateRuntimeDto, { optional: true })
  runtime?: UpdateRuntimeDto;
  @TextList({ optional: true, example: [] })
  skillKeys?: string[];
  @TextList({ optional: true, example: [] })
  mcpServerKeys?: string[];
  @Integer({
    min: PROFILE_LIVE_RUN_LIMIT.min,
    max: PROFILE_LIVE_RUN_LIMIT.max,
    optional: true,
    example: PROFILE_LIVE_RUN_LIMIT.default,
    description:
      'Most runs of the profile that may be live at once, beside the organization’s limit. A lower one stops nothing: no run starts until fewer are live',
  })
  maxLiveRuns?: number;
  @Nested(() => UpdateCatalogSourceDto, { optional: true, example: { updatePolicy: 'pinned' } })
  catalogSource?: UpdateCatalogSourceDto;
}

export class CreateAgentProfileDto {
  @Slug({
    example: 'growth-ads',
    description: 'Unique in the organization. `operator` and `chat` are the keys of those kinds',
  })
  key!: string;
  @Name({ example: 'Growth: advertising' })
  name!: string;
  @OneOf(PROFILE_KINDS, { example: 'department' })
  kind!: ProfileKind;
  @OneOf(DEPARTMENTS, {
    optional: true,
    nullable: true,
    example: 'growth',
    description: 'Required for department profiles, refused for others',
  })
  department?: Department | null;
  @OneOf(PROFILE_STATUSES, { optional: true, example: 'enabled', description: '`enabled` when left out' })
  status?: ProfileStatus;
  @Formatted({ ...uri, example: 'service://organizations/0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11/profiles/growth-ads' })
  rootUri?: string;
  @Formatted({
    ...uri,
    example: 'https://acme.example/agents/growth-ads.md',
    description: 'Passed on unread; the catalog’s instructions when left out',
  })
  instructionsUri?: string;
  @Nested(() => UpdateAgentProfileConfigDto, { optional: true, description: 'What is left out comes from the catalog' })
  config?: UpdateAgentProfileConfigDto;
}

/** Key, kind and department are fixed. */
@PartialUpdate()
export class UpdateAgentProfileDto {
  @Name({ optional: true, example: 'Growth: advertising' })
  name?: string;
  @OneOf(PROFILE_STATUSES, { optional: true, example: 'disabled' })
  status?: ProfileStatus;
  @Formatted({ ...uri, example: 'https://acme.example/agents/growth-ads.md' })
  instructionsUri?: string;
  @Nested(() => UpdateAgentProfileConfigDto, { optional: true })
  config?: UpdateAgentProfileConfigDto;
}

export class ProvisionDto {
  @ListOf(DEPARTMENTS, {
    example: ['growth', 'support'],
    description: 'The departments to enable; the others are disabled',
  })
  departments!: Department[];
  @Formatted({
    ...revisionField,
    example: undefined,
    optional: true,
    description: 'The published revision to pin to; the current one when left out',
  })
  revision?: string;
}

export class ProvisionedDto {
  @Text({ example: revisionField.example })
  revision!: string;
  @NestedList(() => AgentProfileDto)
  profiles!: AgentProfileDto[];
  @TextList({ example: [], description: 'Profiles of departments that were not named, disabled by this call' })
  disabledProfileIds!: string[];
}

/** The columns that a profile is shown from. */
export interface AgentProfileRow {
  id: string;
  organizationId: string;
  key: string;
  name: string;
  kind: string;
  department: string | null;
  status: string;
  rootUri: string;
  instructionsUri: string;
  memoryRootUri: string;
  config: TemplateConfig;
  maxLiveRuns: number;
  catalogTemplateKey: string;
  catalogRevision: string;
  catalogUpdatePolicy: string;
  createdAt: string;
  updatedAt: string;
}

export function toAgentProfile(row: AgentProfileRow): AgentProfileDto {
  const { config, memoryRootUri, maxLiveRuns, catalogTemplateKey, catalogRevision, catalogUpdatePolicy } = row;
  return {
    id: row.id,
    organizationId: row.organizationId,
    key: row.key,
    name: row.name,
    kind: row.kind,
    department: row.department,
    status: row.status,
    rootUri: row.rootUri,
    instructionsUri: row.instructionsUri,
    config: {
      defaultRunMode: config.defaultRunMode,
      toolPolicyKeys: [...config.toolPolicyKeys],
      memoryRootUri,
      runtime: config.runtime,
      skillKeys: [...config.skillKeys],
      mcpServerKeys: [...config.mcpServerKeys],
      maxLiveRuns,
      catalogSource: { templateKey: catalogTemplateKey, revision: catalogRevision, updatePolicy: catalogUpdatePolicy },
    },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
