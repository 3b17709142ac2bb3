import { sql, type Statement } from '../database/index.ts';
import type { Scope } from '../principals/index.ts';

export interface TokenRow {
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly expiresAt: string | null;
  readonly expiresInMs: number | null;
  readonly scopes: readonly Scope[];
  readonly organizationIds: readonly string[] | null;
}

/** The owner token with this SHA-256, unless it has expired. */
export function tokenOfHash(hash: Buffer): Statement<TokenRow> {
  return sql`
    select id, subject, name, expires_at as "expiresAt", expires_in_ms as "expiresInMs", scopes,
      organization_ids as "organizationIds"
    from identify_owner_token(${hash})`;
}
