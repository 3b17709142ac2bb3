import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sha256 } from '../../src/kernel/crypto/index.ts';
import { organizationOf } from '../support/client.ts';
import { TestApp } from '../support/test-app.ts';

/**
 * While a deployment rolls, the release before works on this schema. It knows the tables of capacity by their old names; what
 * it sends is here as it sends it. Goes together with the views.
 */
const app = await TestApp.start();
const DENIED = '42501';
const LOCKED = '55P03';

/** How the two roles enter: the application inside one organization, the fenced calls across all. */
type Role = 'br_app' | 'br_dispatch';
type Answer = { rows: unknown[]; hits: number | null } | string;

let mine: string;
let theirs: string;
let profile: string;

beforeAll(async () => {
  [mine, theirs] = [await organizationOf(await app.person()), await organizationOf(await app.person())];
  const { rows } = await app.db.query('select id from agent_profile where organization_id = $1 order by id', [mine]);
  profile = rows[0].id;
});
afterAll(() => app.close());

describe('locks', () => {
  const PROFILES = `select from profile_load l where l.organization_id = $1 and l.agent_profile_id in (
       select p.id from agent_profile p where p.organization_id = $1
         and ($2::uuid[] is null or p.id = any($2::uuid[])) and ($3::text[] is null or p.department = any($3::text[])))
     order by l.agent_profile_id for no key update`;
  const OF_STARTS = `select from profile_load l
       join (select distinct q.organization_id, q.agent_profile_id
             from unnest($1::uuid[], $2::uuid[]) q(organization_id, agent_profile_id)) p
         on l.organization_id = p.organization_id and l.agent_profile_id = p.agent_profile_id
       order by l.organization_id, l.agent_profile_id for no key update of l`;

  it.each<[string, Role, string, () => unknown[], string]>([
    [
      'an organization, by the application',
      'br_app',
      'select from organization_load where organization_id = $1 for no key update',
      () => [mine],
      'organization_capacity',
    ],
    [
      'organizations, by starts',
      'br_dispatch',
      `select from organization_load l where l.organization_id = any($1::uuid[]) order by l.organization_id for no key update`,
      () => [[mine]],
      'organization_capacity',
    ],
    ['profiles, by the application', 'br_app', PROFILES, () => [mine, [profile], null], 'profile_capacity'],
    ['profiles, by starts', 'br_dispatch', OF_STARTS, () => [[mine], [profile]], 'profile_capacity'],
  ])('%s: against what this release locks', async (_, role, text, values, table) => {
    const lock = `select from ${table} where organization_id = $1 ${table === 'profile_capacity' ? `and agent_profile_id = '${profile}'` : ''}
      for no key update nowait`;
    const whileHeld = () =>
      app.db.query(lock, [mine]).then(
        () => 'free',
        (error: { code: string }) => error.code,
      );
    expect(await whileHeld()).toBe('free');
    expect(await as(role, text, values(), whileHeld)).toEqual([{ rows: [{}], hits: 1 }, LOCKED]);
  });
});

describe('limits', () => {
  const READ = `select o.max_live_runs as organization, p.max_live_runs as profile from organization_load o
    join profile_load p on p.organization_id = o.organization_id
    where o.organization_id = $1 and p.agent_profile_id = $2`;

  it.each<Role>(['br_app', 'br_dispatch'])('are read by %s', async (role) => {
    expect(await as(role, READ, [mine, profile])).toEqual({ rows: [{ organization: 10, profile: 3 }], hits: 1 });
  });

  it.each(['organization_load', 'profile_load'])('of %s are those of this release, both ways', async (table) => {
    const set = (into: string, limit: number) =>
      app.db.query(`update ${into} set max_live_runs = $2 where organization_id = $1`, [theirs, limit]);
    const read = async (from: string) =>
      (await app.db.query(`select distinct max_live_runs as max from ${from} where organization_id = $1`, [theirs]))
        .rows;
    const renamed = table.replace('_load', '_capacity');
    await set(table, 7);
    expect(await read(renamed)).toEqual([{ max: 7 }]);
    await set(renamed, 8);
    expect(await read(table)).toEqual([{ max: 8 }]);
  });
});

describe('new rows', () => {
  const ORGANIZATION = `insert into organization_load (organization_id) select o.id from organization o where o.id = $1 on conflict do nothing`;
  const PROFILE = `insert into profile_load (organization_id, agent_profile_id)
       select q.organization_id, q.agent_profile_id from (select organization_id, id as agent_profile_id from agent_profile) q
       where q.organization_id = $1 and q.agent_profile_id = $2 on conflict do nothing`;

  it('are added once where they are missing, with the limits of this release', async () => {
    const client = await app.db.connect();
    try {
      await client.query('begin');
      await client.query('delete from profile_load where organization_id = $1 and agent_profile_id = $2', [
        mine,
        profile,
      ]);
      await client.query('delete from organization_load where organization_id = $1', [mine]);
      await enter(client, 'br_app');
      const added = async (text: string, values: unknown[]) => (await client.query(text, values)).rowCount;
      expect([await added(ORGANIZATION, [mine]), await added(ORGANIZATION, [mine])]).toEqual([1, 0]);
      expect([await added(PROFILE, [mine, profile]), await added(PROFILE, [mine, profile])]).toEqual([1, 0]);
      const { rows } = await client.query(
        `select o.max_live_runs as organization, p.max_live_runs as profile from organization_capacity o
         join profile_capacity p using (organization_id) where o.organization_id = $1 and p.agent_profile_id = $2`,
        [mine, profile],
      );
      expect(rows).toEqual([{ organization: 10, profile: 3 }]);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('are answered as the entities want them', async () => {
    const client = await app.db.connect();
    try {
      await client.query('begin');
      await client.query('delete from organization_load where organization_id = $1', [mine]);
      await enter(client, 'br_app');
      const insert = `insert into "organization_load" ("organization_id") values ($1) returning "max_live_runs"`;
      expect((await client.query(insert, [mine])).rows).toEqual([{ max_live_runs: 10 }]);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('rights and policies', () => {
  it.each(['organization_load', 'profile_load'])('keep %s to its organization', async (table) => {
    const seen = `select count(*)::int as seen from ${table} where organization_id = $1`;
    expect(await as('br_app', seen, [theirs])).toEqual({ rows: [{ seen: 0 }], hits: 1 });
    expect(await as('br_app', `update ${table} set max_live_runs = 99 where organization_id = $1`, [theirs])).toEqual({
      rows: [],
      hits: 0,
    });
    const columns = table === 'profile_load' ? 'organization_id, agent_profile_id' : 'organization_id';
    const values = table === 'profile_load' ? [theirs, randomUUID()] : [theirs];
    const insert = `insert into ${table} (${columns}) values (${values.map((__, at) => `$${at + 1}`).join()})`;
    expect(await as('br_app', insert, values)).toBe(DENIED);
  });

  it('let the dispatch role change limits and add nothing', async () => {
    const change = 'update organization_load set max_live_runs = max_live_runs where organization_id = $1';
    expect(await as('br_dispatch', change, [mine])).toEqual({ rows: [], hits: 1 });
    expect(await as('br_dispatch', 'insert into organization_load (organization_id) values ($1)', [mine])).toBe(DENIED);
    expect(await as('br_dispatch', 'delete from organization_load where organization_id = $1', [mine])).toBe(DENIED);
  });
});

describe('rights that it does not know', () => {
  const STATUS = 'select membership_status($1, $2::uuid) as status';
  const TOKEN = `select id, subject, name, expires_at as "expiresAt", expires_in_ms as "expiresInMs"
    from authenticate_owner_token($1)`;

  it('shut viewers out rather than let them write', async () => {
    const [owner, viewer] = [await app.person(), await app.person()];
    const id = await organizationOf(owner);
    await owner.put(`/organizations/${id}/members/${viewer.subject}`, { role: 'viewer' });
    expect(await as('br_app', STATUS, [owner.subject, id])).toEqual({ rows: [{ status: 'active' }], hits: 1 });
    expect(await as('br_app', STATUS, [viewer.subject, id])).toEqual({ rows: [{ status: null }], hits: 1 });
  });

  it('shut limited tokens out rather than let them do everything', async () => {
    const owner = await app.person();
    const organizationIds = [await organizationOf(owner)];
    const hits = async (token: string) => ((await as('br_app', TOKEN, [sha256(token)])) as { hits: number }).hits;
    expect(await hits(owner.token)).toBe(1);
    for (const limits of [{ scopes: ['read', 'work', 'decide'] }, { organizationIds }]) {
      const { body } = await owner.post('/owner-tokens', { name: 'limited', ...limits });
      expect(await hits(body.data.token)).toBe(0);
    }
  });

  it('are those of everybody for the tokens that it makes', async () => {
    const insert = `insert into owner_token (id, subject, name, prefix, token_hash)
      values ($1, 'token:x', 'x', 'brt_x', $2) returning scopes, organization_ids`;
    const client = await app.db.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query(insert, [randomUUID(), sha256(randomUUID())]);
      expect(rows).toEqual([{ scopes: ['read', 'work', 'decide', 'settings'], organization_ids: null }]);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

async function enter(client: { query(text: string, values: unknown[]): Promise<unknown> }, role: Role): Promise<void> {
  for (const [name, value] of Object.entries({ role, ...(role === 'br_app' ? { 'app.org': mine } : {}) }))
    await client.query('select set_config($1, $2, true)', [name, value]);
}

/** What a statement answers under a role, or its SQLSTATE, and what `meanwhile` does before it is undone. */
async function as(role: Role, text: string, values: unknown[]): Promise<Answer>;
async function as<T>(role: Role, text: string, values: unknown[], meanwhile: () => Promise<T>): Promise<[Answer, T]>;
async function as(role: Role, text: string, values: unknown[], meanwhile?: () => Promise<unknown>): Promise<unknown> {
  const client = await app.db.connect();
  try {
    await client.query('begin');
    await enter(client, role);
    const { rows, rowCount } = await client.query(text, values);
    const answer = { rows, hits: rowCount };
    return meanwhile ? [answer, await meanwhile()] : answer;
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await client.query('rollback');
    client.release();
  }
}
