/** Parts of statements that move run requests, for every lifecycle that does. */

/** Assignments of a request that no worker holds any more. */
export const UNCLAIMED = `claim_token_hash = null, claim_expires_at = null, claimed_at = null, worker_id = null, boot_id = null,
  claim_request_key = null`;
