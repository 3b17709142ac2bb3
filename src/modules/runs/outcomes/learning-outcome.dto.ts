import {
  ConvertedText,
  escapeReordering,
  isUuid,
  Name,
  NestedList,
  Sha256,
  Slug,
  Text,
  TextList,
  Uuid,
} from '../../../kernel/validation/index.ts';

/** Text that people and later runs read. */
const READ = { visible: true, decidedBy: true };

function UuidList(options: { max: number; description: string; example?: readonly string[] }) {
  return TextList({
    ...options,
    optional: true,
    items: { schema: { type: 'string', format: 'uuid' }, what: 'a UUID', test: isUuid },
  });
}

/** Bytes that a run stored, as what somebody concluded rests on them. */
export class LessonEvidenceDto {
  @Uuid({ description: 'The run that stored them' })
  runId!: string;
  @Text({ max: 500, decidedBy: true, example: 'reports/quarter.md' })
  path!: string;
  @Sha256()
  sha256!: string;
}

const SOURCE_TASK = '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11';

/** A lesson as a run of a learning task proposes it. */
export class NewLessonDto {
  @Slug({ example: 'old-prices-until-friday', description: 'Unique in the list' })
  key!: string;
  @ConvertedText(escapeReordering)
  @Text({
    ...READ,
    max: 2_000,
    example: 'Campaigns that start before a change of prices begin with the old ones.',
    description: 'Where it equals the stored lesson of the key, that one stays with its sources, if these are left out',
  })
  lesson!: string;
  @UuidList({
    max: 20,
    example: [SOURCE_TASK],
    description: 'Tasks of the profile that have ended. A lesson needs one, or an answer',
  })
  sourceTaskIds: string[] = [];
  @NestedList(() => LessonEvidenceDto, { max: 10, optional: true, example: [] })
  evidence: LessonEvidenceDto[] = [];
  @UuidList({ max: 10, example: [], description: 'Answered learning inputs of the profile' })
  humanInboxItemIds: string[] = [];
  @Slug({
    optional: true,
    nullable: true,
    example: null,
    description: 'The stored lesson that this one replaces, which the list leaves out',
  })
  supersedes: string | null = null;
}

/** What a profile suggests to people. Nothing executes it. */
export class SuggestionDto {
  @Slug({ example: 'weekly-price-check', description: 'Unique in the list' })
  key!: string;
  @Name({ decidedBy: true, example: 'Check prices every week' })
  title!: string;
  @Text({ ...READ, max: 2_000, example: 'Two campaigns had to be corrected after a change of prices.' })
  rationale!: string;
  @Text({ ...READ, max: 4_000, example: 'Compare the prices of the shop with those of all running campaigns.' })
  prompt!: string;
  @NestedList(() => LessonEvidenceDto, { max: 10, optional: true, example: [] })
  evidence: LessonEvidenceDto[] = [];
}
