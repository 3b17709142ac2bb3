import { sql } from '../../../kernel/database/index.ts';

/** Assignments of a request that a worker claimed and does not hold any more. */
export const UNCLAIMED = sql`claim_token_hash = null, claim_expires_at = null, claimed_at = null, worker_id = null,
      boot_id = null, claim_request_key = null`;
