import { sql, type Statement } from '../database/index.ts';

/** The access by which the reader of a stream entered an organization. */
export interface ReaderAccess {
  readonly organizationId: string;
  readonly subject: string;
  /** Null unless the token is a personal one, whose row tells whether it is still valid. */
  readonly tokenId: string | null;
  readonly expiresAt: string | null;
}

/** Places, counted from 1, of accesses that were lost since. For the dispatch role. */
export function lostAccesses(accesses: readonly ReaderAccess[]): Statement<{ place: number }> {
  return sql`
    select place from owner_access_lost(${accesses.map(({ organizationId }) => organizationId)}::uuid[],
      ${accesses.map(({ subject }) => subject)}::text[], ${accesses.map(({ tokenId }) => tokenId)}::uuid[]) place`;
}
