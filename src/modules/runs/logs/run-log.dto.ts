import { EdgeIssues } from '../../../kernel/errors/index.ts';
import { LeaseDto } from '../../../kernel/leases/index.ts';
import { credentialIn } from '../../../kernel/logging/index.ts';
import { OpaqueCursor, PageQuery } from '../../../kernel/pagination/index.ts';
import { Flag, Formatted, Integer, NestedList, OneOf, Text, Timestamp } from '../../../kernel/validation/index.ts';
import { LOG_CATEGORIES, LOG_STATUSES } from '../run.state.ts';

/** A text that is safe to show to every reader: one line, without anything that this service's own logs would redact. */
function SafeLine(max: number, options: { nullable?: boolean; optional?: boolean; example: string | null }) {
  return Formatted({
    ...options,
    test: (text) => text !== '' && !CONTROL.test(text) && credentialIn(text) === undefined,
    issue: EdgeIssues.unsafeText,
    what: (text) => {
      const found = CONTROL.test(text) ? undefined : credentialIn(text);
      return found
        ? `without credentials, and this looks like ${found}`
        : `one line of 1 to ${max} characters without control characters`;
    },
    max,
  });
}

const CONTROL = /[\p{Cc}\u2028\u2029]/u;

const SEQUENCE = { min: 1, max: 999_999_999, example: 1 };

export class LogEntryDto {
  @Integer({ ...SEQUENCE, description: 'Counts the entries of the run, from 1' })
  sequence!: number;
  @OneOf(LOG_CATEGORIES, { example: 'execution' })
  category!: string;
  @OneOf(LOG_STATUSES, { example: 'completed' })
  status!: string;
  @SafeLine(200, { example: 'Wrote the draft' })
  label!: string;
  @SafeLine(2_000, { optional: true, nullable: true, example: null })
  detail?: string | null;
  @Timestamp()
  occurredAt!: string;
}

export class AppendLogsDto extends LeaseDto {
  @NestedList(() => LogEntryDto, { min: 1, max: 200 })
  entries!: LogEntryDto[];
}

export class AppendedLogsDto {
  @Integer({ example: 1, description: 'All entries up to this sequence are stored' })
  acceptedThrough!: number;
  @NestedList(() => Number, {
    example: [],
    description: 'Sequences before the last stored one that are missing; the first 100',
  })
  missing!: number[];
  @Flag({ example: false, description: 'The run was asked to stop, as its heartbeat says too' })
  cancelRequested!: boolean;
}

export class RunLogListQuery extends PageQuery {
  @OpaqueCursor()
  declare cursor?: string;

  @OneOf(['asc', 'desc'], { optional: true, default: 'asc', description: 'By sequence' })
  override order: 'asc' | 'desc' = 'asc';
}

export class RunLogDto {
  @Integer(SEQUENCE)
  sequence!: number;
  @OneOf(LOG_CATEGORIES, { example: 'execution' })
  category!: string;
  @OneOf(LOG_STATUSES, { example: 'completed' })
  status!: string;
  @Text({ example: 'Wrote the draft' })
  label!: string;
  @Text({ nullable: true, example: null })
  detail!: string | null;
  @Timestamp({ description: 'When it happened, by the worker’s clock' })
  occurredAt!: string;
  @Timestamp({ description: 'When it was stored' })
  receivedAt!: string;
}
