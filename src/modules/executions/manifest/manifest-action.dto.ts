import { OneOf, Text, Uuid } from '../../../kernel/validation/index.ts';
import {
  ENDED_ACTION_STATUSES,
  type EndedActionStatus,
  UNRESOLVED_ACTION_STATUSES,
  type UnresolvedActionStatus,
} from '../../actions/index.ts';

/** An action that has ended, and how. */
export class DecidedActionDto {
  @Uuid()
  actionId!: string;
  @Text({ example: 'A-7K3M9Q' })
  reference!: string;
  @OneOf(ENDED_ACTION_STATUSES, { example: 'succeeded' })
  status!: EndedActionStatus;
  @Text({ nullable: true, example: null, description: 'What a person said with the decision, or when reconciling' })
  note!: string | null;
  @Text({ nullable: true, example: null })
  errorCode!: string | null;
}

/** An action that waits, or is in doubt. */
export class UnresolvedActionDto {
  @Uuid()
  actionId!: string;
  @Text({ example: 'A-7K3M9Q' })
  reference!: string;
  @OneOf(UNRESOLVED_ACTION_STATUSES, { example: 'awaiting_approval' })
  status!: UnresolvedActionStatus;
  @Text({ example: 'Publish the release note' })
  title!: string;
  @Uuid({ nullable: true, description: 'The run that proposed it; null of a chat' })
  runId!: string | null;
}
