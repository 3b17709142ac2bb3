import { randomUUID } from 'node:crypto';
import { sha256 } from '../../../src/kernel/crypto/index.ts';
import { newId } from '../../../src/kernel/ids/index.ts';
import { type Client, createOrganization } from '../client.ts';
import type { TestApp } from '../test-app.ts';
import { type Columns, insertRow } from './rows.ts';

let number = 0;

/** A task straight in the table, for tests of what is shown of states that take long to reach by calls. */
export async function taskRow(
  app: TestApp,
  organizationId: string,
  profileId: string,
  row: Columns = {},
): Promise<string> {
  const id = newId();
  return insertRow(app, 'task', {
    organization_id: organizationId,
    id,
    identifier_scope: 'ROW',
    identifier_number: (number += 1),
    root_task_id: row.parent_id ?? id,
    owner_agent_profile_id: profileId,
    status: 'running',
    phase: 'execute',
    title: 'Write the launch post',
    spec: { objective: 'Write it.', inputs: [], acceptanceCriteria: [] },
    max_agent_runs: 20,
    max_attempts_per_phase: 3,
    max_replans: 3,
    max_actions: 20,
    dedupe_key: id,
    ...row,
  });
}

/** A request of a task. */
export async function requestRow(
  app: TestApp,
  organizationId: string,
  taskId: string,
  row: Columns = {},
): Promise<string> {
  const { rows } = await app.db.query<{ profile: string }>(
    'select owner_agent_profile_id as profile from task where organization_id = $1 and id = $2',
    [organizationId, taskId],
  );
  const id = newId();
  return insertRow(app, 'run_request', {
    organization_id: organizationId,
    id,
    task_id: taskId,
    agent_profile_id: rows[0]!.profile,
    mode: 'execute',
    status: 'running',
    execution_class: 'standard',
    priority: 0,
    dedupe_key: id,
    task_version: 1,
    task_graph_revision: 1,
    ready: true,
    available_at: new Date().toISOString(),
    max_attempts: 3,
    ...row,
  });
}

export interface RunRow {
  readonly runId: string;
  readonly taskId: string;
  readonly requestId: string;
  readonly leaseToken: string;
}

/** A run with its task and request; live for a minute unless `run` says otherwise. */
export async function runRow(
  app: TestApp,
  organizationId: string,
  profileId: string,
  {
    run = {},
    request = {},
    task = {},
    taskId,
  }: { run?: Columns; request?: Columns; task?: Columns; taskId?: string } = {},
): Promise<RunRow> {
  const ofTask = taskId ?? (await taskRow(app, organizationId, profileId, task));
  const id = randomUUID();
  const requestId = await requestRow(app, organizationId, ofTask, { last_run_id: id, ...request });
  const leaseToken = `lease-${randomUUID()}`;
  const runId = await insertRow(app, 'run', {
    organization_id: organizationId,
    id,
    task_id: ofTask,
    run_request_id: requestId,
    agent_profile_id: profileId,
    attempt: 1,
    mode: 'execute',
    status: 'running',
    task_version: 1,
    catalog_revision: (await app.db.query('select revision from catalog_revision order by version desc limit 1'))
      .rows[0].revision,
    model: 'default',
    worker_id: 'worker-1',
    lease_token_hash: sha256(leaseToken),
    lease_expires_at: new Date(Date.now() + 60_000).toISOString(),
    capability_expires_at: new Date(Date.now() + 900_000).toISOString(),
    ...run,
  });
  return { runId, taskId: ofTask, requestId, leaseToken };
}

/** An organization of one owner, with its profiles and runs that call; there once it is open. */
export class Workplace {
  private opened: Opened | undefined;

  constructor(readonly app: TestApp) {}

  static async open(app: TestApp): Promise<Workplace> {
    const place = new Workplace(app);
    await place.open();
    return place;
  }

  async open(): Promise<void> {
    const owner = await this.app.person();
    const { organization, agentProfiles } = (await createOrganization(owner)).body.data;
    const profiles = (agentProfiles as Profile[]).map((profile) => [profile.key, profile] as const);
    this.opened = { owner, organizationId: organization.id, profiles: new Map(profiles) };
  }

  get owner(): Client {
    return this.parts.owner;
  }
  get organizationId(): string {
    return this.parts.organizationId;
  }

  /** The id of a built-in profile. */
  profile(key = 'growth'): string {
    return this.parts.profiles.get(key)!.id;
  }

  task(row: Columns = {}, key = 'growth'): Promise<string> {
    return taskRow(this.app, this.organizationId, this.profile(key), row);
  }

  /** A run of a profile, and the client that calls with its capability. */
  async run(parts: Parameters<typeof runRow>[3] = {}, key = 'growth'): Promise<RunRow & { readonly agent: Client }> {
    const run = await runRow(this.app, this.organizationId, this.profile(key), parts);
    return { ...run, agent: await this.agentOf(run.runId, key, parts.run) };
  }

  agentOf(runId: string, key = 'growth', row: Columns = {}): Promise<Client> {
    const { id, kind, department } = this.parts.profiles.get(key)!;
    return this.app.execution({
      organizationId: this.organizationId,
      agentProfileId: id,
      profileKey: key,
      profileKind: kind,
      department,
      executionId: runId,
      mode: (row.mode ?? 'execute') as 'execute',
      generation: (row.attempt ?? 1) as number,
    });
  }

  /** A path below the owner's API of this organization. */
  path(rest: string): string {
    return `/organizations/${this.organizationId}${rest}`;
  }

  /** A path below the agents' API of this organization. */
  agentPath(rest: string): string {
    return `/internal/agent/organizations/${this.organizationId}${rest}`;
  }

  private get parts(): Opened {
    if (!this.opened) throw new Error('This workplace is not open before the hooks of the tests have run.');
    return this.opened;
  }
}

interface Opened {
  readonly owner: Client;
  readonly organizationId: string;
  readonly profiles: ReadonlyMap<string, Profile>;
}

interface Profile {
  readonly id: string;
  readonly key: string;
  readonly kind: 'operator' | 'chat' | 'department';
  readonly department: string | null;
}
