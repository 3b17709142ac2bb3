import { Integer, Text, TextList, Uuid, isUuid } from '../../kernel/validation/index.ts';

export class WorkerParams {
  @Text({ max: 200 })
  workerId!: string;
}

export class RecoverDto {
  @Uuid({ description: 'Of the worker as it runs now' })
  bootId!: string;
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
