import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { Day } from '../definitions/index.ts';
import type { Caller } from '../query/askers.service.ts';

/** What is kept of an answer. */
export interface NewReceipt {
  readonly id: string;
  readonly request: object;
  /** Compressed with gzip. */
  readonly answer: Buffer;
  readonly digest: string;
  readonly publicationRevision: number;
  readonly definitionsRevision: number;
  readonly seriesIds: readonly string[];
  readonly sourceIds: readonly string[];
  readonly fromDay: Day;
  readonly toDay: Day;
  readonly caller: Caller;
  readonly createdAt: string;
}

export function insertReceipt(organizationId: string, receipt: NewReceipt): Statement {
  return sql`
    insert into metric_receipt (organization_id, id, request, answer, digest, publication_revision, definitions_revision,
      series_ids, source_ids, from_day, to_day, caller, created_at)
    values (${organizationId}, ${receipt.id}, ${JSON.stringify(receipt.request)}::jsonb, ${receipt.answer},
      ${receipt.digest}, ${receipt.publicationRevision}, ${receipt.definitionsRevision},
      ${receipt.seriesIds}::uuid[], ${receipt.sourceIds}::uuid[], ${receipt.fromDay}, ${receipt.toDay},
      ${JSON.stringify(receipt.caller)}::jsonb, ${receipt.createdAt})`;
}

export interface ReceiptRow {
  readonly answer: Buffer;
  readonly sourceIds: readonly string[];
  /** Since when a settled value of it is another one. */
  readonly restatedAt: string | null;
}

/** A receipt, with the first change of a settled value of its series and days since. */
export function receiptById(organizationId: string, id: string): Statement<ReceiptRow> {
  const organization = sql.value(organizationId);
  return sql`
    select ${columns<ReceiptRow>({
      answer: 'c.answer',
      sourceIds: 'c.source_ids',
      restatedAt: sql`(
        select min(t.at) from metric_restatement t
        where t.organization_id = ${organization} and t.series_id = any(c.series_ids)
          and t.revision > c.publication_revision and t.period_start >= c.from_day and t.period_start < c.to_day)`,
    })} from metric_receipt c
    where c.organization_id = ${organization} and c.id = ${id}`;
}
