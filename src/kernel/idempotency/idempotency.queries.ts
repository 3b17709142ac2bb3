import { sql, type Statement } from '../database/index.ts';

/** A key as one subject uses it. */
export interface UsedKey {
  readonly subject: string;
  readonly key: string;
}

/** Limits how long statements wait for a lock; `0` is no limit. */
export function limitLockWait(limit: string): Statement {
  return sql`select set_config('lock_timeout', ${limit}, true)`;
}

/** Takes a key; returns no row if it is used. An expired key counts as unused, even before the job has deleted it. */
export function takeKey({ subject, key }: UsedKey, digest: string, keepFor: string): Statement {
  return sql`
    insert into idempotency_key as k (subject, key, digest, expires_at)
    values (${subject}, ${key}, ${digest}, clock_timestamp() + ${keepFor}::interval)
    on conflict (subject, key) do update
      set digest = excluded.digest, answer = null, organization_id = null,
          created_at = clock_timestamp(), expires_at = excluded.expires_at
      where k.expires_at <= clock_timestamp()
    returning 1`;
}

/** Keeps the answer for replays. */
export function keepAnswer({ subject, key }: UsedKey, answer: unknown, organizationId: string | null): Statement {
  return sql`
    update idempotency_key set answer = ${JSON.stringify(answer)}::jsonb, organization_id = ${organizationId}
    where subject = ${subject} and key = ${key}`;
}

export interface KeptAnswer {
  readonly digest: string;
  readonly answer: unknown;
}

/** The answer stored for a key; no row after the organization that it is about was deleted. */
export function keptAnswer({ subject, key }: UsedKey): Statement<KeptAnswer> {
  return sql`
    select k.digest, k.answer from idempotency_key k
    where k.subject = ${subject} and k.key = ${key}
      and (k.organization_id is null
           or exists (select from organization o where o.id = k.organization_id and o.status <> 'deleting'))`;
}

/** Deletes up to `batch` expired keys; returns a row for each. */
export function removeExpiredKeys(batch: number): Statement {
  return sql`
    delete from idempotency_key where (subject, key) in (
      select subject, key from idempotency_key where expires_at <= clock_timestamp()
      order by expires_at limit ${batch})
    returning 1`;
}
