import type { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { Transactions } from '../database/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { ObjectStore, type StoredBytes, type UploadLimits } from '../storage/index.ts';
import { standingAccess } from '../tenancy/index.ts';
import { type Stale, STALE_UPLOADS_LIMIT, type Upload, type UploadNotes } from './upload-notes.queries.ts';

interface Keeping<T> {
  readonly kept: T;
  /** Whether these bytes are kept; not where a row has the same ones already. */
  readonly isNew: boolean;
}

/**
 * Stores the bytes of noted uploads, and removes those that nothing keeps: at once where the request lives, by the sweep
 * where it died.
 */
@Injectable()
export class Uploads {
  private readonly logger = new Logger('Uploads');

  constructor(
    private readonly transactions: Transactions,
    private readonly objects: ObjectStore,
  ) {}

  /** Stores bytes and has `keep` make a row keep them, in a transaction that ends their note. */
  async store<Noted extends Upload, T>(
    notes: UploadNotes<Noted>,
    upload: Noted,
    { bytes, limits }: { readonly bytes: Readable; readonly limits: UploadLimits },
    keep: (stored: StoredBytes) => Promise<Keeping<T>>,
  ): Promise<T> {
    try {
      const { kept, isNew } = await keep(await this.objects.put(notes.objectKeyOf(upload), bytes, limits));
      if (!isNew) await this.discard(notes, upload);
      return kept;
    } catch (error) {
      await this.discard(notes, upload);
      throw error;
    }
  }

  /** Removes the bytes and the note of an upload, unless a row keeps them. May be repeated, and may run beside the upload. */
  async discard<Noted extends Upload>(notes: UploadNotes<Noted>, upload: Noted): Promise<void> {
    const access = standingAccess(upload.organizationId, EdgeErrors.stateConflict);
    try {
      const [, kept] = await this.transactions.batch(access, [notes.abandon(upload), notes.kept(upload)]);
      if (kept.length > 0) return;
      await this.objects.delete(notes.objectKeyOf(upload));
      await this.transactions.batch(access, [notes.forget(upload)]);
    } catch (error) {
      // The purge takes what an organization that is being deleted has; the next sweep retries after any other error.
      if (error instanceof ApiError && error.row === EdgeErrors.stateConflict) return;
      this.logger.warn(`upload ${upload.id} is not removed yet: ${(error as Error).message}`);
    }
  }

  /** Discards uploads whose request died before it could. */
  async sweep<Noted extends Upload>(notes: UploadNotes<Noted>, signal: AbortSignal): Promise<void> {
    let found: Stale<Noted>[] = [];
    do {
      found = await this.transactions.dispatch((run) => run(notes.stale(found.at(-1))));
      for (const upload of found) {
        if (signal.aborted) return;
        await this.discard(notes, upload);
      }
    } while (found.length === STALE_UPLOADS_LIMIT);
  }
}
