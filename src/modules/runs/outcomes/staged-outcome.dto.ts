import { Flag, Integer, NestedList, OneOf, Text, Uuid } from '../../../kernel/validation/index.ts';
import { type PlanOperationDto, PlanOperationList } from '../../tasks/index.ts';
import { FindingDto, VERDICTS } from '../run-result.dto.ts';
import { NewLessonDto, SuggestionDto } from './learning-outcome.dto.ts';
import { STAGED_OUTCOME_KINDS, type StagedOutcomeKind } from '../run.state.ts';

/** A staged outcome. `staged-outcome.ts` checks that its fields are those of its kind. */
export class StageOutcomeDto {
  @OneOf(STAGED_OUTCOME_KINDS, { example: 'planned' })
  kind!: StagedOutcomeKind;
  @Text({ max: 4_000, example: 'Research first, then write.' })
  summary!: string;
  @Integer({ min: 1, kinds: ['planned'], description: '`plan.graphRevision` of the manifest', example: 1 })
  expectedGraphRevision?: number;
  @PlanOperationList({ kinds: ['planned'] })
  operations?: PlanOperationDto[];
  @Uuid({ kinds: ['handoff'] })
  inboxItemId?: string;
  @OneOf(VERDICTS, { kinds: ['verification'] })
  verdict?: (typeof VERDICTS)[number];
  @NestedList(() => FindingDto, { max: 20, kinds: ['verification'] })
  findings?: FindingDto[];
  @Integer({ kinds: ['learning'], description: '`memory.revision` of the manifest; 0 without memory', example: 3 })
  expectedRevision?: number;
  @Uuid({
    kinds: ['learning'],
    nullable: true,
    description: 'The last task that was looked at: of `learning.tasks`, or `learning.sinceTaskId` again',
  })
  watermarkTaskId?: string | null;
  @NestedList(() => NewLessonDto, { max: 100, kinds: ['learning'], description: 'All lessons that are to stand' })
  lessons?: NewLessonDto[];
  @NestedList(() => SuggestionDto, { max: 20, kinds: ['learning'] })
  suggestions?: SuggestionDto[];
}

export class StageOutcomeQuery {
  @Flag({ optional: true, default: false, description: 'Validate without storing' })
  dryRun = false;
}

export class OutcomeIssueDto {
  @Text({ example: 'operations.0.dependsOn.0' })
  path!: string;
  @Text({ example: 'cycle' })
  code!: string;
  @Text({ example: 'closes a cycle' })
  message!: string;
}

export class StagedOutcomeDto {
  @Uuid({ nullable: true, description: 'The same for the same outcome; null after a dry run' })
  outcomeId!: string | null;
  @Text({
    example: '9f2c1d7be0a4c3f58e6d1b0a7c9e4f3d2b1a0c9d8e7f6a5b4c3d2e1f0a9b8c7d',
    description: 'SHA-256 of the outcome’s canonical JSON (RFC 8785)',
  })
  digest!: string;
  @NestedList(() => OutcomeIssueDto, { example: [], description: 'After a dry run: the reasons to refuse the outcome' })
  issues!: OutcomeIssueDto[];
}
