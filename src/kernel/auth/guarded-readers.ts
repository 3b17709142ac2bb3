import type { Statement } from '../database/index.ts';
import { lostAccesses, type ReaderAccess } from './lost-accesses.queries.ts';
import type { OwnerIdentities } from './owner-identities.ts';

const REASON = 'you may not read this any more';

/** A client of an event stream, by the access with which it entered. */
interface GuardedReader {
  readonly access: ReaderAccess;
  end(reason: string): void;
}

/** Readers of event streams, those of equal access together, so that one statement finds all who lost it since. */
export class GuardedReaders {
  private readonly groups: readonly (readonly GuardedReader[])[];

  /** Ends those whose token has expired. */
  constructor(readers: readonly GuardedReader[], identities: OwnerIdentities) {
    const { lapsed = [], standing = [] } = Object.groupBy(readers, ({ access }) =>
      identities.hasLapsed(access) ? 'lapsed' : 'standing',
    );
    for (const reader of lapsed) reader.end(REASON);
    const byAccess = Map.groupBy(standing, ({ access }) =>
      [access.organizationId, access.subject, access.tokenId].join(' '),
    );
    this.groups = [...byAccess.values()];
  }

  /** Places of the accesses that were lost, for `endThose`; for the dispatch role. */
  lost(): Statement<{ place: number }> {
    return lostAccesses(this.groups.map(([first]) => first!.access));
  }

  endThose(lost: readonly { readonly place: number }[]): void {
    for (const { place } of lost) for (const reader of this.groups[place - 1]!) reader.end(REASON);
  }
}
