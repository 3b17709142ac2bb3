import { randomUUID } from 'node:crypto';
import type { Answer } from '../client.ts';
import type { TestApp } from '../test-app.ts';
import { profileOf } from './profiles.ts';

/** A schedule as the API shows it, as far as tests look. */
export interface ShownSchedule {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly nextRunAt: string | null;
  readonly updatedAt: string;
}

export const EVERY_HOUR = { kind: 'interval', everyMinutes: 60, timezone: 'Europe/Berlin' };

/** The least that a creation says. */
export function scheduleBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  const name = `Schedule ${randomUUID().slice(0, 8)}`;
  return { name, trigger: EVERY_HOUR, task: { title: 'Report', objective: 'Write the report' }, ...overrides };
}

export function schedulesPath(organizationId: string, rest = ''): string {
  return `/internal/agent/organizations/${organizationId}/schedules${rest}`;
}

/** What a runtime posts for a profile. */
export async function postSchedule(
  app: TestApp,
  organizationId: string,
  overrides: Record<string, unknown> = {},
  profile = 'growth',
): Promise<Answer> {
  const agentProfileId = await profileOf(app, organizationId, profile);
  return app.service.post(schedulesPath(organizationId), scheduleBody({ agentProfileId, ...overrides }));
}

/** A new schedule of a profile, made by its runtime. */
export async function createSchedule(
  app: TestApp,
  organizationId: string,
  overrides: Record<string, unknown> = {},
  profile = 'growth',
): Promise<ShownSchedule> {
  const { status, body } = await postSchedule(app, organizationId, overrides, profile);
  if (status !== 201) throw new Error(`No schedule: ${JSON.stringify(body)}`);
  return body.data as ShownSchedule;
}

/** Moves a schedule's next slot into the past, by the database's clock; answers the slot. */
export async function makeDue(app: TestApp, scheduleId: string, ago = '1 second'): Promise<string> {
  const { rows } = await app.db.query<{ slot: string }>(
    `update schedule set next_run_at = clock_timestamp() - $2::interval where id = $1
     returning to_char(next_run_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as slot`,
    [scheduleId, ago],
  );
  return rows[0]!.slot;
}

/** Copies of a schedule under keys of their own. */
export async function copySchedule(app: TestApp, scheduleId: string, copies: number): Promise<void> {
  await app.db.query(
    `insert into schedule (organization_id, id, agent_profile_id, key, name, origin, trigger, task_template,
       creation_digest, next_run_at)
     select organization_id, gen_random_uuid(), agent_profile_id, key || '-' || n, name, origin, trigger, task_template,
       creation_digest, next_run_at
     from schedule, generate_series(1, $2::int) n where id = $1`,
    [scheduleId, copies],
  );
}
