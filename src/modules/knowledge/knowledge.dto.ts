import { SearchText, UuidCursor } from '../../kernel/pagination/index.ts';
import {
  Integer,
  ListOf,
  Name,
  Nested,
  NestedList,
  OneOf,
  Slug,
  Text,
  TextList,
  Timestamp,
  Uuid,
  codePoints,
  hasControls,
  isSlug,
  isStorable,
} from '../../kernel/validation/index.ts';
import { DEPARTMENTS, type Department, OrganizationParams } from '../organizations/index.ts';
import { EvidenceDto } from './evidence.dto.ts';
import { FRESHNESS, type Freshness, type Origin, ORIGINS, VISIBILITIES, type Visibility } from './knowledge.state.ts';

const KEY = 'competitor-pricing';
const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const FINDING = 'The two nearest competitors raised the price of their smallest plan to 29 euros in March.';
const STEP = 'Read the pricing pages of both competitors.';

const CONNECTOR_KEY = {
  schema: { type: 'string', maxLength: 100, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' },
  what: 'the key of a connector',
  test: isSlug,
};

export class KnowledgeParams extends OrganizationParams {
  @Uuid()
  knowledgeId!: string;
}

export class KnowledgeListQuery {
  @SearchText('Only records that hold these words, the best first; at least a letter or digit', { mayBeBlank: true })
  search?: string;
  @UuidCursor()
  cursor?: string;
  @Integer({ min: 1, max: 50, optional: true, default: 50, description: 'Most rows of a page' })
  limit = 50;
  @ListOf(FRESHNESS, {
    optional: true,
    description: 'Repeatable; owners see all but `superseded` unless they ask, executions `current`',
  })
  freshness?: Freshness[];
  @OneOf(DEPARTMENTS, { optional: true, description: 'Only records of this department' })
  department?: Department;
  @OneOf(ORIGINS, { optional: true, description: 'Only what executions found, or only material' })
  origin?: Origin;
}

export class SourceVersionDto {
  @Text({ max: 500, decidedBy: true, example: 'https://competitor.example/pricing' })
  source!: string;
  @Text({ max: 200, decidedBy: true, example: '2026-03-01', description: 'As the author names it; only shown' })
  version!: string;
  @Slug({ optional: true, example: 'web-search', description: 'The connector that the source was read through' })
  connectorKey?: string;
}

export class PublishKnowledgeDto {
  @Slug({
    example: KEY,
    description:
      'What the record is about: a later one with this key supersedes it. Keys that begin with `material-` are those of what owners brought in',
  })
  key!: string;
  @Name({ decidedBy: true, example: 'Prices of the competitors' })
  title!: string;
  @Text({ visible: true, decidedBy: true, max: 4_000, example: FINDING })
  finding!: string;
  @Text({ min: 0, max: 2_000, decidedBy: true, optional: true, default: '', example: 'Small plans in the euro area' })
  applicability = '';
  @TextList({
    optional: true,
    max: 50,
    items: {
      schema: { type: 'string', minLength: 1, maxLength: 2_000 },
      what: 'text of 1 to 2,000 characters, without control characters other than tabs and newlines',
      test: (text) => isStorable(text) && !hasControls(text) && codePoints(text) >= 1 && codePoints(text) <= 2_000,
    },
    example: [STEP],
    description: 'How to find it out again, or what to do about it',
  })
  procedure: string[] = [];
  @OneOf(VISIBILITIES, {
    example: 'organization',
    description:
      'Which profiles may read it: all, those of its department with operator and chat, or (`restricted`) those that may use the required connectors, as with all records',
  })
  visibility!: Visibility;
  @TextList({
    optional: true,
    max: 10,
    items: CONNECTOR_KEY,
    example: [],
    description: 'Connectors that a reader must be able to use',
  })
  requiredConnectorKeys: string[] = [];
  @NestedList(() => SourceVersionDto, {
    optional: true,
    max: 20,
    description: 'What it was read from; its connectors are required of readers too',
  })
  sourceVersions: SourceVersionDto[] = [];
  @NestedList(() => EvidenceDto, { min: 1, max: 20 })
  evidence!: EvidenceDto[];
  @Timestamp({ optional: true, example: '2027-03-01T00:00:00.000000Z', description: 'In the future' })
  validUntil?: string;
  @Uuid({
    optional: true,
    nullable: true,
    example: null,
    description:
      'The record that this one supersedes, null for none yet; 409 where another holds. Left out, it supersedes whichever holds',
  })
  expectedSupersedes?: string | null;
}

export class ShownEvidenceDto {
  @Uuid({ nullable: true, description: 'Null of material' })
  runId!: string | null;
  @Text({ example: 'reports/pricing.md', description: 'Of material the name of the file' })
  path!: string;
  @Text({ example: DIGEST })
  sha256!: string;
  @Uuid({ optional: true, description: 'The source of material' })
  sourceId?: string;
}

export class KnowledgeMetadataDto {
  @Text({ example: KEY })
  key!: string;
  @Text({ example: 'Prices of the competitors' })
  title!: string;
  @Text({ example: FINDING })
  finding!: string;
  @Text({ min: 0, example: 'Small plans in the euro area', description: 'Empty where its author said nothing' })
  applicability!: string;
  @OneOf(VISIBILITIES, { example: 'organization' })
  visibility!: Visibility;
  @TextList({ items: CONNECTOR_KEY, example: [] })
  requiredConnectorKeys!: string[];
  @NestedList(() => SourceVersionDto)
  sourceVersions!: SourceVersionDto[];
  @NestedList(() => ShownEvidenceDto)
  evidence!: ShownEvidenceDto[];
  @Timestamp({ nullable: true, example: null })
  validUntil!: string | null;
  @Uuid({ nullable: true })
  sourceTaskId!: string | null;
  @Uuid({ nullable: true })
  sourceRunId!: string | null;
  @Slug({ nullable: true, example: 'growth' })
  authorProfileKey!: string | null;
  @OneOf(DEPARTMENTS, { nullable: true, example: 'growth' })
  department!: Department | null;
  @Timestamp()
  retainedAt!: string;
}

export class KnowledgeDto {
  @Uuid()
  id!: string;
  @Nested(() => KnowledgeMetadataDto)
  metadata!: KnowledgeMetadataDto;
  @OneOf(ORIGINS, { example: 'execution', description: '`material`: brought in by owners' })
  origin!: Origin;
  @OneOf(FRESHNESS, { example: 'current' })
  freshness!: Freshness;
  @Uuid({ nullable: true, example: null, description: 'Null too where the caller may not read that record' })
  supersededBy!: string | null;
  @Text({ optional: true, max: 401, example: FINDING, description: 'Of a search: where the words stand' })
  excerpt?: string;
  @OneOf(['similar'], {
    optional: true,
    example: 'similar',
    description: 'No record holds the words; the title is only similar',
  })
  match?: 'similar';
}

export class KnowledgePageDto {
  @NestedList(() => KnowledgeDto)
  items!: KnowledgeDto[];
  @Uuid({ nullable: true, description: 'The `cursor` of the page behind this one; null on the last' })
  nextCursor!: string | null;
}

export class KnowledgeRevokerDto {
  @OneOf(['owner'], { example: 'owner' })
  kind!: 'owner';
  @Text({ example: 'token:0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  id!: string;
  @Text({ example: 'laptop' })
  name!: string;
}

export class RevocationDto {
  @Text({ max: 500, example: 'The price was that of a trial.' })
  reason!: string;
  @Nested(() => KnowledgeRevokerDto)
  by!: KnowledgeRevokerDto;
  @Timestamp()
  at!: string;
}

export class KnowledgeDetailDto extends KnowledgeDto {
  @TextList({ example: [STEP] })
  procedure!: string[];
  @Uuid({ nullable: true, example: null, description: 'Null too where the caller may not read that record' })
  supersedes!: string | null;
  @Nested(() => RevocationDto, { nullable: true, example: null })
  revocation!: RevocationDto | null;
}

export class RevokeKnowledgeQuery {
  @Text({ visible: true, max: 500, description: 'Why it does not hold; agents that find it again are told' })
  reason!: string;
}
