import { Integer, Sha256, Text } from '../../../kernel/validation/index.ts';

export class DecisionDto {
  @Text({ visible: true, max: 2_000, optional: true, example: 'The numbers are right.' })
  comment?: string;
  @Integer({ min: 1, optional: true, example: 1, description: 'Decide only if the action still has this revision' })
  expectedRevision?: number;
  @Sha256({ optional: true, description: 'Decide only if this is the action’s `argumentsDigest`' })
  expectedDigest?: string;
}
