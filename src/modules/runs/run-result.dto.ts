import {
  Integer,
  Nested,
  NestedList,
  OneOf,
  OpenList,
  Slug,
  Text,
  TextList,
  Uuid,
} from '../../kernel/validation/index.ts';
import { ArtifactDto, type PlanOperationDto, PlanOperationList } from '../tasks/index.ts';
import { OUTCOME_KINDS, type OutcomeKind } from './run.state.ts';

export const VERDICTS = ['accepted', 'rejected'] as const;

export class FindingDto {
  @Text({ max: 2_000, example: 'The page loads within two seconds' })
  criterion!: string;
  @OneOf(VERDICTS)
  verdict!: (typeof VERDICTS)[number];
  @Text({ max: 2_000, example: 'It takes 0.8 s on a phone.' })
  note!: string;
}

export class RequirementDto {
  @Slug({ optional: true, example: 'code-host' })
  connectorKey?: string;
  @Text({ max: 100, optional: true, example: 'email_delivery' })
  purpose?: string;
  @OneOf(['connected', 'tool', 'write_access', 'grant'], { example: 'connected' })
  need!: string;
  @Text({ max: 200, optional: true })
  toolName?: string;
}

/** What a run that succeeded came to: the worker's result, or the outcome that the agent staged. */
export class RunResultDto {
  @OneOf(OUTCOME_KINDS, { example: 'completed' })
  kind!: OutcomeKind;
  @Text({ example: 'Compared the quarter with the one before; revenue rose by 4 %.' })
  summary!: string;
  @NestedList(() => ArtifactDto, { kinds: ['completed'] })
  artifacts?: ArtifactDto[];
  @TextList({ kinds: ['action_wait'] })
  actionIds?: string[];
  @Uuid({ kinds: ['handoff'] })
  inboxItemId?: string;
  @NestedList(() => RequirementDto, { kinds: ['integration_wait'] })
  requirements?: RequirementDto[];
  @Integer({ kinds: ['planned'], example: 1 })
  expectedGraphRevision?: number;
  @PlanOperationList({ kinds: ['planned'] })
  operations?: PlanOperationDto[];
  @OneOf(VERDICTS, { kinds: ['verification'] })
  verdict?: (typeof VERDICTS)[number];
  @NestedList(() => FindingDto, { kinds: ['verification'] })
  findings?: FindingDto[];
  @Integer({ kinds: ['learning'] })
  expectedRevision?: number;
  @Uuid({ kinds: ['learning'] })
  watermarkTaskId?: string;
  @OpenList({ kinds: ['learning'] })
  lessons?: object[];
  @OpenList({ kinds: ['learning'] })
  suggestions?: object[];
}

export class RunOutputDto {
  @OneOf(['task_result'])
  kind!: 'task_result';
  @Nested(() => RunResultDto)
  result!: RunResultDto;
}
