import { sql } from '../../../kernel/database/index.ts';

/** Takes a claim's token away, and keeps it as the former one, whose holder is told what became of the claim. */
export const TOKEN_TAKEN = sql`former_token_hash = coalesce(claim_token_hash, former_token_hash),
      claim_token_hash = null`;

/** Assignments of a request that a worker claimed and does not hold any more. */
export const UNCLAIMED = sql`${TOKEN_TAKEN}, claim_expires_at = null, claimed_at = null, worker_id = null,
      boot_id = null, claim_request_key = null`;
