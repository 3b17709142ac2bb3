import { Injectable } from '@nestjs/common';
import { canonicalDigest } from '../crypto/index.ts';
import { sqlState, SqlState, type StatementTx } from '../database/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { keepAnswer, keptAnswer, limitLockWait, takeKey, type UsedKey } from './idempotency.queries.ts';

/** How a request identifies its repeats. */
export interface IdempotentRequest {
  /** The `Idempotency-Key` header, if sent. */
  readonly key: string | undefined;
  /** Method and path; the same key with another operation is a conflict. */
  readonly operation: string;
  /** Set when the answer repeats an earlier one; becomes the header `Idempotent-Replayed`. */
  replayed: boolean;
}

interface Once<T> {
  readonly subject: string;
  readonly request: IdempotentRequest;
  /** What the caller asked for, normalised; the same key with other details is a conflict. */
  readonly details: unknown;
  /** PostgreSQL interval; 24 hours by default. Not configurable, because clients rely on how long a repeat is safe. */
  readonly keepFor?: string;
  /** The organization that the answer is about; once it is deleted, a replay is a conflict. */
  readonly organizationOf?: (answer: T) => string;
  /** The answer as it is stored, without secrets that are shown once. */
  readonly kept?: (answer: T) => unknown;
}

/**
 * Does work once per key, in the caller's transaction. Inserts the key's row first, which commits with the work, so
 * that a crash before the commit leaves the key unused and one after it leaves the answer.
 */
@Injectable()
export class Idempotency {
  async once<T>(tx: StatementTx, use: Once<T>, work: () => Promise<T>): Promise<T> {
    const { request, subject } = use;
    request.replayed = false;
    if (request.key === undefined) return work();
    const digest = canonicalDigest({ operation: request.operation, details: use.details });
    const used = { subject, key: request.key };
    if (!(await this.take(tx, used, digest, use.keepFor ?? '24 hours')))
      return this.replay<T>(tx, used, request, digest);
    const answer = await work();
    const kept = use.kept ? use.kept(answer) : answer;
    await tx.rows(keepAnswer(used, kept, use.organizationOf?.(answer) ?? null));
    return answer;
  }

  /** Takes the key, and waits at most 2 s for a concurrent first use; false if the key is used. */
  private async take(tx: StatementTx, used: UsedKey, digest: string, keepFor: string): Promise<boolean> {
    await tx.rows(limitLockWait('2s'));
    try {
      const taken = await tx.rows(takeKey(used, digest, keepFor));
      await tx.rows(limitLockWait('0'));
      return taken.length > 0;
    } catch (error) {
      if (sqlState(error) !== SqlState.lockNotAvailable) throw error;
      throw new ApiError(EdgeErrors.stateConflict, {
        message: 'A request with this Idempotency-Key is still at work: try again later.',
      });
    }
  }

  private async replay<T>(tx: StatementTx, used: UsedKey, request: IdempotentRequest, digest: string): Promise<T> {
    const [row] = await tx.rows(keptAnswer(used));
    if (!row)
      throw new ApiError(EdgeErrors.stateConflict, {
        message: 'What this Idempotency-Key created is gone: use a new key.',
      });
    if (row.digest !== digest)
      throw new ApiError(EdgeErrors.stateConflict, {
        message: 'This Idempotency-Key was used for other details: use a new key.',
      });
    request.replayed = true;
    return row.answer as T;
  }
}
