import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import { Extraction, type Extracted } from '../../../kernel/extraction/index.ts';
import { ObjectStore } from '../../../kernel/storage/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { FINDING_LENGTH, REVIEW } from '../onboarding.policy.ts';
import type { SourceResult } from '../source-result.ts';
import type { HeldSource } from '../sources/sources.queries.ts';
import { hasSize, isWhole, keyOfSource } from '../sources/stored-source.ts';
import { withoutCredentials } from './credentials-in-passages.ts';
import { renewReview, type UnreadSource } from './review.queries.ts';

/** Questions to the object store that are open at once. */
const CHECKS_AT_ONCE = 10;

/** A source that was read: what is shown of it, and its passages. */
export interface ReadSource {
  readonly result: SourceResult;
  readonly passages: readonly string[];
}

interface Held {
  readonly organizationId: string;
  readonly generation: number;
}

/** Reads the text of one source under a lease of its review, which it makes last meanwhile. */
@Injectable()
export class SourceReadingService {
  constructor(
    private readonly transactions: Transactions,
    private readonly objects: ObjectStore,
    private readonly extraction: Extraction,
  ) {}

  /** Undefined where the stored bytes are not those that were acknowledged. Fails if they do not arrive, and if the lease is lost. */
  async read(held: Held, source: UnreadSource, signal: AbortSignal): Promise<ReadSource | undefined> {
    const done = new AbortController();
    const lost = new AbortController();
    const renewing = this.renew(held, AbortSignal.any([done.signal, signal]), lost);
    try {
      return await this.readBytes(held, source, AbortSignal.any([signal, lost.signal]));
    } finally {
      done.abort();
      await renewing;
    }
  }

  /** The first source whose object is gone or has another size: the store tells that without sending the bytes. */
  async firstDamaged(
    organizationId: string,
    sources: readonly HeldSource[],
    signal: AbortSignal,
  ): Promise<HeldSource | undefined> {
    for (let first = 0; first < sources.length; first += CHECKS_AT_ONCE) {
      signal.throwIfAborted();
      const some = sources.slice(first, first + CHECKS_AT_ONCE);
      const stands = await Promise.all(some.map((source) => hasSize(this.objects, organizationId, source)));
      const damaged = some.find((_, index) => !stands[index]);
      if (damaged) return damaged;
    }
    return undefined;
  }

  private async readBytes(
    { organizationId }: Held,
    source: UnreadSource,
    signal: AbortSignal,
  ): Promise<ReadSource | undefined> {
    const { fileName, mediaType, sizeBytes } = source;
    if (!(await isWhole(this.objects, organizationId, source, signal))) return undefined;
    const opened = await this.objects.open(keyOfSource(organizationId, source));
    if (!opened) return undefined;
    return toRead(await this.extraction.extract({ bytes: opened.stream, sizeBytes, fileName, mediaType }, signal));
  }

  /** Makes the lease last until `ended`; tells by `lost` that it does not. */
  private async renew({ organizationId, generation }: Held, ended: AbortSignal, lost: AbortController): Promise<void> {
    const access = standingAccess(organizationId, EdgeErrors.stateConflict);
    while (await wait(REVIEW.renewEveryMs, true, { signal: ended }).catch(() => false)) {
      const renewal = this.transactions.batch(access, [renewReview(organizationId, generation)]);
      const [held] = await renewal.catch(() => [[]] as const);
      if (held.length === 0) return lost.abort(new Error('the lease of the review is over'));
    }
  }
}

function toRead({ passages: found, warnings, foundMediaType, characters, pages, truncated }: Extracted): ReadSource {
  const passages = withoutCredentials(found);
  const finding =
    passages.length === 0 ? null : [...passages.slice(0, 3).join('\n\n')].slice(0, FINDING_LENGTH).join('');
  return { passages, result: { foundMediaType, characters, pages, truncated, warnings, finding } };
}

/** What stands for a source over which processes died. */
export function tooComplex({ fileName }: UnreadSource): ReadSource {
  const message = `“${fileName}” could not be read: twice the service ended over it. Split it, or save it in a simpler format.`;
  return {
    passages: [],
    result: {
      foundMediaType: null,
      characters: 0,
      pages: null,
      truncated: false,
      finding: null,
      warnings: [{ code: 'too_complex', message }],
    },
  };
}
