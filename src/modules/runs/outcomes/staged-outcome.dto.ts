import { Flag, Integer, JsonObjects, NestedList, OneOf, Text, Uuid } from '../../../kernel/validation/index.ts';
import { type PlanOperationDto, PlanOperationList } from '../../tasks/index.ts';
import { STAGED_OUTCOME_KINDS, type StagedOutcomeKind } from '../run.state.ts';

export const VERDICTS = ['accepted', 'rejected'] as const;

export class FindingDto {
  @Text({ max: 2_000, example: 'The page loads within two seconds' })
  criterion!: string;
  @OneOf(VERDICTS)
  verdict!: (typeof VERDICTS)[number];
  @Text({ max: 2_000, example: 'It takes 0.8 s on a phone.' })
  note!: string;
}

/** A staged outcome; each field names the kind that it belongs to. */
export class StageOutcomeDto {
  @OneOf(STAGED_OUTCOME_KINDS, { example: 'planned' })
  kind!: StagedOutcomeKind;
  @Text({ max: 4_000, example: 'Research first, then write.' })
  summary!: string;
  @Integer({ min: 1, optional: true, description: 'Of `planned`: `plan.graphRevision` of the manifest', example: 1 })
  expectedGraphRevision?: number;
  @PlanOperationList({ optional: true, description: 'Of `planned`' })
  operations?: PlanOperationDto[];
  @Uuid({ optional: true, description: 'Of `handoff`' })
  inboxItemId?: string;
  @OneOf(VERDICTS, { optional: true, description: 'Of `verification`' })
  verdict?: (typeof VERDICTS)[number];
  @NestedList(() => FindingDto, { max: 20, optional: true, description: 'Of `verification`' })
  findings?: FindingDto[];
  @Integer({ optional: true, description: 'Of `learning`' })
  expectedRevision?: number;
  @Uuid({ optional: true, description: 'Of `learning`' })
  watermarkTaskId?: string;
  @JsonObjects({ max: 100, optional: true, description: 'Of `learning`' })
  lessons?: Record<string, unknown>[];
  @JsonObjects({ max: 20, optional: true, description: 'Of `learning`' })
  suggestions?: Record<string, unknown>[];
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
