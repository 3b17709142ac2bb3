import {
  type FieldOptions,
  Integer,
  Nested,
  NestedList,
  OneOf,
  Slug,
  Text,
  TextList,
} from '../../kernel/validation/index.ts';
import { type Department, DEPARTMENTS } from '../organizations/index.ts';
import { PROFILE_KINDS, type ProfileKind, RUN_MODES } from './agent-profile.state.ts';
import { ProfileIssues } from './agent-profile.errors.ts';

const REVISION = '9f2c1d7be0a4c3f58e6d1b0a7c9e4f3d2b1a0c9d8e7f6a5b4c3d2e1f0a9b8c7d';

/** A catalog revision: SHA-256, 64 hexadecimal characters. */
export const revisionField = {
  test: (text: string) => /^[0-9a-f]{64}$/.test(text),
  issue: ProfileIssues.invalidRevision,
  what: '64 hexadecimal characters',
  max: 64,
  example: REVISION,
};

/** How hard the model should think, in the words of its vendor. */
export function ReasoningEffort(options: FieldOptions): PropertyDecorator {
  return Text({ ...options, max: 40 });
}

export class RuntimeDto {
  @Text({ max: 200, example: 'default' })
  model!: string;
  @ReasoningEffort({ example: 'medium' })
  reasoningEffort!: string;
}

export class TemplateConfigDto {
  @OneOf(RUN_MODES, { example: 'execute' })
  defaultRunMode!: string;
  @TextList({ example: ['task-planning'] })
  toolPolicyKeys!: readonly string[];
  @Nested(() => RuntimeDto)
  runtime!: RuntimeDto;
}

export class ProfileTemplateDto {
  @Slug({ example: 'growth' })
  key!: string;
  @Text({ max: 200, example: 'Growth' })
  name!: string;
  @Text({ max: 2_000, example: 'Finds customers and keeps them.' })
  summary!: string;
  @OneOf(PROFILE_KINDS, { example: 'department' })
  kind!: ProfileKind;
  @OneOf(DEPARTMENTS, { nullable: true })
  department!: Department | null;
  @TextList({ example: [] })
  skillKeys!: readonly string[];
  @TextList({ example: [] })
  mcpServerKeys!: readonly string[];
  @Nested(() => TemplateConfigDto)
  config!: TemplateConfigDto;
}

export class CatalogDto {
  @Integer({ min: 1, example: 1 })
  version!: number;
  @TextList({ example: [] })
  commonSkillKeys!: readonly string[];
  @TextList({ example: [] })
  commonMcpServerKeys!: readonly string[];
  @NestedList(() => ProfileTemplateDto, { min: 1, max: 100 })
  profiles!: readonly ProfileTemplateDto[];
}

export class TemplateCatalogDto {
  @Text({ example: REVISION, description: 'SHA-256 of catalog and instructions' })
  revision!: string;
  @Nested(() => CatalogDto)
  catalog!: CatalogDto;
}
