import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import type { LeasedItem, LeasedTurn } from './load/job.ts';
import { OWNER_TOKEN } from './service.ts';

/** Opens all claims that are seeded as such. */
export const LEASE_TOKEN = randomBytes(32).toString('base64url');
const LEASE_HASH = createHash('sha256').update(LEASE_TOKEN).digest();
/** Rows per statement, so that none runs for minutes. */
const CHUNK = 100_000;

/** A group of organizations that one purpose has to itself. */
export type PoolName =
  | 'spread'
  | 'hot'
  | 'lists'
  | 'flood'
  | 'trickle'
  | 'beats'
  | 'waits'
  | 'chats'
  | 'wakeups'
  | 'probes'
  | 'history'
  | 'idle'
  | 'trees'
  | 'archive'
  | 'wide'
  | 'knowledge';

/** Organizations and profiles of each that is there from the start; by default 1,000 profiles share the load. */
const POOLS: Readonly<
  Record<Exclude<PoolName, 'idle'>, { readonly organizations: number; readonly profiles: number }>
> = {
  spread: { organizations: 20, profiles: 50 },
  hot: { organizations: 1, profiles: 1 },
  lists: { organizations: 1, profiles: 60 },
  flood: { organizations: 1, profiles: 5 },
  trickle: { organizations: 1, profiles: 5 },
  beats: { organizations: 10, profiles: 10 },
  waits: { organizations: 10, profiles: 10 },
  chats: { organizations: 10, profiles: 1 },
  wakeups: { organizations: 1, profiles: 1 },
  probes: { organizations: 1, profiles: 1 },
  archive: { organizations: 1, profiles: 5 },
  wide: { organizations: 1, profiles: 1 },
  knowledge: { organizations: 1, profiles: 1 },
  history: { organizations: 1, profiles: 5 },
  trees: { organizations: 1, profiles: 5 },
};

/** Rows for the measurements, past the API: as the database's superuser, without waiting for the disk and for checks of references. */
export class Seeds {
  /** An owner who belongs to every organization of the bench. */
  ownerToken = '';
  private original = '';
  private readonly pool: pg.Pool;

  constructor(url: string) {
    this.pool = new pg.Pool({
      connectionString: url,
      max: 2,
      options: '-c synchronous_commit=off -c session_replication_role=replica',
    });
    // The server may be stopped while connections are still saying goodbye.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(text, values)).rows;
  }

  /** One organization through the API; all others are its copies, with profiles that may run as much as they like. */
  async world(baseUrl: string): Promise<void> {
    const post = async (path: string, token: string, body: object) => {
      const answer = await fetch(baseUrl + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': crypto.randomUUID(),
        },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
      return ((await answer.json()) as { data: { token: string; organization: { id: string } } }).data;
    };
    this.ownerToken = (await post('/owner-tokens', OWNER_TOKEN, { name: 'bench' })).token;
    const company = { name: 'Bench', website: 'bench.example', timezone: 'UTC', defaultCurrency: 'EUR' };
    const { organization } = await post('/organizations', this.ownerToken, company);
    await this.query('create schema bench');
    await this.query(
      `create table bench.profile (pool text, place int, organization_id uuid, id uuid, primary key (pool, place))`,
    );
    await this.query('create sequence bench.number');
    this.original = organization.id;
    for (const [name, { organizations, profiles }] of Object.entries(POOLS))
      await this.pooled(name as PoolName, organizations, profiles);
    await this.query('analyze');
  }

  /** Copies of the first organization. */
  async pooled(name: PoolName, organizations: number, profiles: number): Promise<void> {
    await this.query(
      `with copy as materialized (select uuidv7() as id, n from generate_series(1, $3::int) n),
       organizations as (
         insert into organization
         select (jsonb_populate_record(o, jsonb_build_object('id', c.id, 'slug', $2 || '-' || c.n, 'name', $2 || ' ' || c.n))).*
         from organization o cross join copy c where o.id = $1),
       members as (
         insert into membership
         select (jsonb_populate_record(m, jsonb_build_object('organization_id', c.id))).*
         from membership m cross join copy c where m.organization_id = $1),
       capacities as (insert into organization_capacity (organization_id, max_live_runs) select c.id, 100000 from copy c),
       dispatch as (insert into organization_dispatch (organization_id) select c.id from copy c),
       numbered as materialized (
         select c.id as organization_id, uuidv7() as id, p as n, (c.n - 1) * $4::int + p as place
         from copy c cross join generate_series(1, $4::int) p),
       profiles as (
         insert into agent_profile
         select (jsonb_populate_record(p, jsonb_build_object('organization_id', n.organization_id, 'id', n.id, 'key', 'bench-' || n.n, 'name', 'Bench ' || n.n))).*
         from agent_profile p cross join numbered n where p.organization_id = $1 and p.key = 'growth'),
       profile_capacities as (
         insert into profile_capacity (organization_id, agent_profile_id, max_live_runs) select n.organization_id, n.id, 100000 from numbered n)
       insert into bench.profile (pool, place, organization_id, id) select $2, n.place, n.organization_id, n.id from numbered n`,
      [this.original, name, organizations, profiles],
    );
  }

  /** The only organization of a pool, or its first. */
  async organization(pool: PoolName): Promise<string> {
    const [row] = await this.query<{ id: string }>(
      `select organization_id as id from bench.profile where pool = $1 order by place limit 1`,
      [pool],
    );
    return row!.id;
  }

  /** Tasks with a request each, spread evenly over the pool's profiles. */
  async work(pool: PoolName, count: number, state: 'queued' | 'claimed' | 'completed'): Promise<LeasedItem[]> {
    const items: LeasedItem[] = [];
    for (let done = 0; done < count; done += CHUNK) {
      const rows = await this.chunk(pool, Math.min(CHUNK, count - done), state);
      if (state === 'claimed') items.push(...rows);
    }
    if (state === 'queued')
      await this.query(
        `update organization_dispatch d set next_ready_at = clock_timestamp()
         where d.organization_id in (select p.organization_id from bench.profile p where p.pool = $1)`,
        [pool],
      );
    if (state === 'queued')
      await this.query(
        `insert into profile_dispatch (organization_id, agent_profile_id, profile_key, next_ready_at)
         select p.organization_id, p.id, profile.key, clock_timestamp()
         from bench.profile p join agent_profile profile on profile.organization_id = p.organization_id and profile.id = p.id
         where p.pool = $1
         on conflict (organization_id, agent_profile_id) do update set next_ready_at = excluded.next_ready_at`,
        [pool],
      );
    return items;
  }

  /** Makes one tree of a pool's pending tasks, a hundredth of them children of the root; answers the root. */
  async tree(pool: PoolName): Promise<{ organizationId: string; rootId: string; tasks: number }> {
    const [row] = await this.query<{ organizationId: string; rootId: string; tasks: number }>(
      `with open as materialized (
         select t.organization_id, t.id, row_number() over (order by t.id) - 1 as place, count(*) over ()::int as tasks
         from task t join bench.profile p on p.pool = $1 and p.organization_id = t.organization_id and p.id = t.owner_agent_profile_id
         where t.status = 'pending'),
       root as materialized (select * from open where place = 0),
       parents as (
         select c.organization_id, c.id, case when c.place <= c.tasks / 100 then r.id else p.id end as parent_id, r.id as root_id,
           case when c.place <= c.tasks / 100 then 1 else 2 end as depth
         from open c cross join root r left join open p on p.place = c.place % (c.tasks / 100) + 1
         where c.place > 0),
       moved as (
         update task t set parent_id = p.parent_id, root_task_id = p.root_id, depth = p.depth
         from parents p where t.organization_id = p.organization_id and t.id = p.id)
       select organization_id as "organizationId", id as "rootId", tasks from root`,
      [pool],
    );
    return row!;
  }

  private async chunk(pool: PoolName, count: number, state: 'queued' | 'claimed' | 'completed'): Promise<LeasedItem[]> {
    const ended = state === 'completed';
    return this.query<LeasedItem & pg.QueryResultRow>(
      `with wanted as materialized (
         select p.organization_id, p.id as profile_id, uuidv7() as task_id, uuidv7() as request_id, nextval('bench.number')::int as number
         from generate_series(1, $2::int) n
         join bench.profile p on p.pool = $1 and p.place = (n - 1) % (select count(*) from bench.profile where pool = $1)::int + 1),
       tasks as (
         insert into task (organization_id, id, identifier_scope, identifier_number, root_task_id, owner_agent_profile_id, status, phase, title,
           max_agent_runs, max_attempts_per_phase, max_replans, max_actions, spec, dedupe_key, result, started_at, completed_at)
         select w.organization_id, w.task_id, 'BEN', w.number, w.task_id, w.profile_id, '${ended ? 'completed' : 'pending'}', 'execute',
           'Compare the quarter with the one before ' || w.number, 20, 3, 3, 20,
           '{"objective":"Compare this quarter with the one before it and say what changed.","inputs":[],"acceptanceCriteria":[]}', w.task_id::text,
           ${ended ? `'{"kind":"completed","summary":"Compared the quarter with the one before; revenue rose by 4 %.","artifacts":[]}', clock_timestamp(), clock_timestamp()` : 'null, null, null'}
         from wanted w)
       insert into run_request (organization_id, id, task_id, agent_profile_id, mode, status, execution_class, priority, dedupe_key, task_version,
         task_graph_revision, ready, available_at, max_attempts, claimed_at, claim_expires_at, claim_token_hash, worker_id, boot_id)
       select w.organization_id, w.request_id, w.task_id, w.profile_id, 'execute', '${state}', 'standard', 0, w.request_id::text, 1, 1, true,
         clock_timestamp(), 3,
         ${state === 'claimed' ? `clock_timestamp(), clock_timestamp() + interval '1 day', $3::bytea, 'bench', gen_random_uuid()` : `null, null, case when false then $3::bytea end, null, null`}
       from wanted w
       returning organization_id as "organizationId", id as "runRequestId"`,
      [pool, count, LEASE_HASH],
    );
  }

  /** Chat turns that stream, each in a chat of its own, under the shared lease token; spread evenly. */
  turns(pool: PoolName, count: number): Promise<LeasedTurn[]> {
    return this.query<LeasedTurn & pg.QueryResultRow>(
      `with wanted as materialized (
         select p.organization_id, p.id as profile_id, uuidv7() as chat_id, uuidv7() as turn_id
         from generate_series(1, $2::int) n
         join bench.profile p on p.pool = $1 and p.place = (n - 1) % (select count(*) from bench.profile where pool = $1)::int + 1),
       chats as (insert into chat (organization_id, id, title) select w.organization_id, w.chat_id, 'Bench' from wanted w)
       insert into message (organization_id, id, chat_id, role, status, agent_profile_id, leased, lease_token_hash, lease_expires_at,
         first_claimed_at, heartbeat_at, capability_expires_at, generation, attempt, authorization_epoch, harness, model)
       select w.organization_id, w.turn_id, w.chat_id, 'assistant', 'streaming', w.profile_id, true, $3,
         clock_timestamp() + interval '1 hour', clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '12 hours', 1, 1, 1,
         'bench/1', 'bench'
       from wanted w
       returning organization_id as "organizationId", chat_id as "chatId", id as "turnId"`,
      [pool, count, LEASE_HASH],
    );
  }

  /** Runs of this pool's requests: ended ones, or live ones under the shared lease token. */
  async runs(pool: PoolName, state: 'succeeded' | 'running'): Promise<{ organizationId: string; runId: string }[]> {
    const live = state === 'running';
    if (live)
      await this.query(
        `with requests as (
           update run_request q set status = 'running', claim_expires_at = null
           from bench.profile p where p.pool = $1 and q.organization_id = p.organization_id and q.agent_profile_id = p.id and q.status = 'claimed'
           returning q.organization_id, q.task_id)
         update task t set status = 'running', version = 2, agent_run_count = 1, consumed_agent_run_count = 1
         from requests r where t.organization_id = r.organization_id and t.id = r.task_id`,
        [pool],
      );
    return this.query<{ organizationId: string; runId: string }>(
      `insert into run (organization_id, id, task_id, run_request_id, agent_profile_id, attempt, mode, status, task_version, catalog_revision, model,
         worker_id, lease_token_hash, lease_expires_at, capability_expires_at, output, harness, workspace_uri, finished_at)
       select q.organization_id, gen_random_uuid(), q.task_id, q.id, q.agent_profile_id, 1, 'execute', '${state}', 2,
         (select c.catalog_revision from agent_profile c where c.organization_id = q.organization_id and c.id = q.agent_profile_id), 'bench',
         'bench-' || q.agent_profile_id, $2, clock_timestamp() + interval '1 hour', clock_timestamp() + interval '12 hours',
         ${live ? 'null' : `'{"kind":"task_result","result":{"kind":"completed","summary":"Compared the quarter with the one before; revenue rose by 4 %.","artifacts":[]}}'`},
         'bench/1', 'workspace://bench/1', ${live ? 'null' : 'clock_timestamp()'}
       from run_request q join bench.profile p on p.organization_id = q.organization_id and p.id = q.agent_profile_id
       where p.pool = $1 and q.status = '${live ? 'running' : 'completed'}'
       returning organization_id as "organizationId", id as "runId"`,
      [pool, LEASE_HASH],
    );
  }
}
