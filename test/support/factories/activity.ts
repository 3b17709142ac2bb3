import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { ActivityLogService } from '../../../src/modules/organizations/index.ts';
import type { TestApp } from '../test-app.ts';

/** The entries of an organization's log, by their ids. */
export async function loggedIds(app: TestApp, organizationId: string): Promise<string[]> {
  const { rows } = await app.db.query<{ id: string }>('select id from activity where organization_id = $1', [
    organizationId,
  ]);
  return rows.map(({ id }) => id);
}

/** Writes entries on a connection, in its transaction if it has begun one. */
export async function writeEntries(
  client: pg.ClientBase | pg.Pool,
  organizationId: string,
  count = 1,
  label = 'A task',
): Promise<void> {
  await client.query(
    `insert into activity (organization_id, id, at, actor_kind, actor_id, actor_name, verb, subject_kind, subject_id,
       subject_label, details)
     select $1, id, clock_timestamp(), 'system', 'system', 'test', 'task.created', 'task', id::text, $3, '{}'
     from unnest($2::uuid[]) id`,
    [organizationId, Array.from({ length: count }, () => randomUUID()), label],
  );
}

/** Says in a process that entries were committed, as whoever writes them does. */
export function tell(app: TestApp, organizationId: string): void {
  app.app.get(ActivityLogService).tell(organizationId, false);
}

/** Connections that write at once. */
export class Writers {
  private readonly clients: pg.Client[];

  constructor(app: TestApp, count: number) {
    this.clients = Array.from({ length: count }, () => new pg.Client({ connectionString: app.databaseUrl }));
  }

  async run(write: (client: pg.Client, nth: number) => Promise<void>): Promise<void> {
    await Promise.all(this.clients.map((client) => client.connect()));
    try {
      await Promise.all(this.clients.map(write));
    } finally {
      await Promise.all(this.clients.map((client) => client.end()));
    }
  }
}
