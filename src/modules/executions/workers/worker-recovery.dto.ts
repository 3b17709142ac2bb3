import { Flag, Integer, Text, TextList, Uuid, isUuid } from '../../../kernel/validation/index.ts';

export class WorkerParams {
  @Text({ max: 200 })
  workerId!: string;
}

export class RecoverDto {
  @Uuid({ description: 'Of the worker as it runs now' })
  bootId!: string;
  @Flag({
    optional: true,
    default: false,
    example: false,
    description:
      'Says that no other process of the worker is left, as a supervisor knows that has seen it end: also gives back what showed life a moment ago. If another one lives, its runs end',
  })
  alone = false;
}

const ids = { items: { schema: { type: 'string', format: 'uuid' }, what: 'a UUID', test: isUuid }, example: [] };

export class RecoveredDto {
  @TextList({ ...ids, description: 'Ended as expired; their work is ready again' })
  runs!: string[];
  @TextList({ ...ids, description: 'Run requests whose claim was given back' })
  claims!: string[];
  @TextList({ ...ids, description: 'Chat turns given back' })
  turns!: string[];
  @Integer({ nullable: true, example: null, description: 'When to ask again for what showed life a moment ago' })
  retryAfterMs!: number | null;
}
