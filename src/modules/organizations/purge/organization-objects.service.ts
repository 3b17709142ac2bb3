import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ObjectStore } from '../../../kernel/storage/index.ts';

/** One empty object for each organization whose row the purge removes, kept until its bytes were removed twice. */
const MARKS = 'purged-organizations';
/** Far longer than an upload that began before the deletion can last: the edge gives a request five minutes. */
const LATE_MS = 60 * 60 * 1000;

/**
 * Removes the bytes of purged organizations: at once, and an hour later again what uploads in flight still put there.
 * Goes by marks in the store itself and not by organizations without a row, so that a service that was started on another
 * database by mistake removes nothing.
 */
@Injectable()
export class OrganizationObjectsService {
  constructor(private readonly objects: ObjectStore) {}

  async mark(organizationId: string): Promise<void> {
    await this.objects.put(`${MARKS}/${organizationId}`, Readable.from([]), { maxBytes: 0 });
  }

  async remove(organizationId: string): Promise<void> {
    await this.objects.deletePrefix(`organizations/${organizationId}`);
  }

  /** The second time. A mark goes last, so that a process that dies here leaves it to the next. */
  async removeLate(signal: AbortSignal): Promise<void> {
    for await (const { key, storedAt } of this.objects.list(MARKS)) {
      if (signal.aborted) return;
      if (Date.now() - storedAt.getTime() < LATE_MS) continue;
      await this.remove(key.slice(MARKS.length + 1));
      await this.objects.delete(key);
    }
  }
}
