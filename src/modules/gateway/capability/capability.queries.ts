import { CAPABILITY_SECONDS } from '../../../kernel/auth/index.ts';
import { sql, type Statement } from '../../../kernel/database/index.ts';

/** When a capability that is issued now expires, by the database's clock. */
export function capabilityExpiry(): Statement<{ expiresAt: string }> {
  return sql`
    select to_char((clock_timestamp() + ${CAPABILITY_SECONDS}::int * interval '1 second') at time zone 'utc',
      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "expiresAt"`;
}
