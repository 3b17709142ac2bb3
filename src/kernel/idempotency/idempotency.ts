import { Injectable } from '@nestjs/common';
import { canonicalDigest } from '../crypto/index.ts';
import { sqlState, SqlState, statement, type Tx } from '../database/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';

/** What a request says about being a repeat. */
export interface IdempotentRequest {
  /** The `Idempotency-Key` header, when there was one. */
  readonly key: string | undefined;
  /** Method and path: the same key on another route is another use of it. */
  readonly operation: string;
  /** Set when the answer is an earlier one's; becomes the header `Idempotent-Replayed`. */
  replayed: boolean;
}

interface Once<T> {
  readonly subject: string;
  readonly request: IdempotentRequest;
  /** What the caller asked for, normalised: the same key with other details is a conflict. */
  readonly details: unknown;
  /** PostgreSQL interval; 24 hours unless said. No setting: clients count on how long a repeat is safe. */
  readonly keepFor?: string;
  /** The organization that the answer is about; once it is gone, a replay is a conflict. */
  readonly organizationOf?: (answer: T) => string;
  /** The answer as it may be kept: without secrets that are shown once. */
  readonly kept?: (answer: T) => unknown;
}

interface KeyRow {
  readonly digest: string;
  readonly answer: unknown;
}

/**
 * Does work once per key, in the caller's transaction: the key's row is inserted first and commits with the work, so
 * that a crash before the commit leaves the key unused and one after it leaves the answer.
 */
@Injectable()
export class Idempotency {
  async once<T>(tx: Tx, use: Once<T>, work: () => Promise<T>): Promise<T> {
    const { request, subject } = use;
    request.replayed = false;
    if (request.key === undefined) return work();
    const digest = canonicalDigest({ operation: request.operation, details: use.details });
    if (!(await this.take(tx, subject, request.key, digest, use.keepFor ?? '24 hours')))
      return this.replay<T>(tx, subject, request, digest);
    const answer = await work();
    await tx.rows(
      statement(
        `update idempotency_key set answer = $3::jsonb, organization_id = $4 where subject = $1 and key = $2`,
        subject,
        request.key,
        JSON.stringify(use.kept ? use.kept(answer) : answer),
        use.organizationOf?.(answer) ?? null,
      ),
    );
    return answer;
  }

  /** Waits for a concurrent first use, at most 2 s; false when the key turns out to be used. */
  private async take(tx: Tx, subject: string, key: string, digest: string, keepFor: string): Promise<boolean> {
    await tx.rows(statement(`select set_config('lock_timeout', '2s', true)`));
    try {
      const taken = await tx.rows(
        statement(
          // An expired key counts as unused, whether or not the job that removes it has come by.
          `insert into idempotency_key as k (subject, key, digest, expires_at)
           values ($1, $2, $3, clock_timestamp() + $4::interval)
           on conflict (subject, key) do update
             set digest = excluded.digest, answer = null, organization_id = null,
                 created_at = clock_timestamp(), expires_at = excluded.expires_at
             where k.expires_at <= clock_timestamp()
           returning 1`,
          subject,
          key,
          digest,
          keepFor,
        ),
      );
      await tx.rows(statement(`select set_config('lock_timeout', '0', true)`));
      return taken.length > 0;
    } catch (error) {
      if (sqlState(error) !== SqlState.lockNotAvailable) throw error;
      throw new ApiError(EdgeErrors.stateConflict, {
        message: 'A request with this Idempotency-Key is still at work.',
      });
    }
  }

  private async replay<T>(tx: Tx, subject: string, request: IdempotentRequest, digest: string): Promise<T> {
    const [row] = await tx.rows<KeyRow>(
      statement(
        `select k.digest, k.answer from idempotency_key k
         where k.subject = $1 and k.key = $2
           and (k.organization_id is null
                or exists (select from organization o where o.id = k.organization_id and o.status <> 'deleting'))`,
        subject,
        request.key,
      ),
    );
    if (!row) throw new ApiError(EdgeErrors.stateConflict, { message: 'What this Idempotency-Key made is gone.' });
    if (row.digest !== digest)
      throw new ApiError(EdgeErrors.stateConflict, { message: 'This Idempotency-Key was used for other details.' });
    request.replayed = true;
    return row.answer as T;
  }
}
