import { sql, type Statement } from '../database/index.ts';

export interface TokenRow {
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly expiresAt: string | null;
  readonly expiresInMs: number | null;
}

/** The owner token with this SHA-256, unless it has expired. */
export function tokenOfHash(hash: Buffer): Statement<TokenRow> {
  return sql`
    select id, subject, name, expires_at as "expiresAt", expires_in_ms as "expiresInMs"
    from authenticate_owner_token(${hash})`;
}
