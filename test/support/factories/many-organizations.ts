import { queueTask } from './work.ts';
import type { TestApp } from '../test-app.ts';

/** The rows that a copy consists of, those that others reference first, each with what differs in it. */
const COPIED: readonly { readonly table: string; readonly of: string; readonly changed: string }[] = [
  { table: 'organization', of: 'x.id = $1', changed: `'id', c.id, 'slug', c.id::text` },
  { table: 'organization_capacity', of: 'x.organization_id = $1', changed: `'organization_id', c.id` },
  { table: 'agent_profile', of: 'x.organization_id = $1', changed: `'organization_id', c.id` },
  { table: 'profile_capacity', of: 'x.organization_id = $1', changed: `'organization_id', c.id` },
  { table: 'task', of: 'x.organization_id = $1', changed: `'organization_id', c.id` },
  { table: 'run_request', of: 'x.organization_id = $1', changed: `'organization_id', c.id` },
  { table: 'organization_dispatch', of: 'x.organization_id = $1', changed: `'organization_id', c.id` },
  { table: 'profile_dispatch', of: 'x.organization_id = $1', changed: `'organization_id', c.id` },
];

/**
 * Copies of an organization: each has its profiles, tasks and requests under the same ids, and the same places in the lines
 * of claims. Answers theirs.
 */
export async function copiesOf(app: TestApp, organizationId: string, count: number): Promise<string[]> {
  const { rows } = await app.db.query<{ id: string }>(
    `select gen_random_uuid() as id from generate_series(1, $1::int)`,
    [count],
  );
  const ids = rows.map(({ id }) => id);
  for (const { table, of, changed } of COPIED)
    await app.db.query(
      `insert into ${table} select (jsonb_populate_record(x, jsonb_build_object(${changed}))).*
       from ${table} x cross join unnest($2::uuid[]) c(id) where ${of}`,
      [organizationId, ids],
    );
  return ids;
}

/** Organizations with one ready request each, of the profile. */
export async function readyOrganizations(
  app: TestApp,
  original: string,
  count: number,
  profile?: string,
): Promise<string[]> {
  await queueTask(app, original, profile === undefined ? {} : { profile });
  return [original, ...(await copiesOf(app, original, count - 1))];
}

/** Lets the places of these in the lines of claims be as old as the upkeep wants them. */
export async function ageLines(app: TestApp, organizationIds: readonly string[]): Promise<void> {
  for (const table of ['organization_dispatch', 'profile_dispatch'])
    await app.db.query(
      `update ${table} set next_ready_at = next_ready_at - interval '1 minute', last_served_at = last_served_at - interval '1 minute'
       where organization_id = any($1::uuid[])`,
      [organizationIds],
    );
}

/** Those of these that stand in the line of all, or in the lines of profiles. */
export async function inLine(
  app: TestApp,
  table: 'organization_dispatch' | 'profile_dispatch',
  organizationIds: readonly string[],
): Promise<string[]> {
  const { rows } = await app.db.query<{ id: string }>(
    `select distinct organization_id as id from ${table} where organization_id = any($1::uuid[]) and next_ready_at is not null`,
    [organizationIds],
  );
  return rows.map(({ id }) => id);
}
