import { OneOf, Text } from '../../../kernel/validation/index.ts';
import { RECONCILED_OUTCOMES, type ReconciledOutcome } from '../action.state.ts';

export class ReconcileDto {
  @OneOf(RECONCILED_OUTCOMES, { example: 'succeeded', description: 'What really became of it, as the provider shows' })
  outcome!: ReconciledOutcome;
  @Text({ max: 2_000, example: 'The note is on the site.', description: 'How you know' })
  note!: string;
}
