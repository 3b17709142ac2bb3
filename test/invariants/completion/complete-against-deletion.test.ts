import { beforeEach, expect, it } from '@jest/globals';
import { type Answer, organizationOf } from '../../support/client.ts';
import { meetAtLock, taskLock } from '../../support/database/waiting-calls.ts';
import { COMPLETED, onRun, rowsOf, startedRun, type StartedRun } from '../../support/factories/work.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let organizationId: string;
beforeEach(async () => {
  organizationId = await organizationOf(owner);
});

const complete = (run: StartedRun) => onRun(app, run, 'complete', COMPLETED);
const remove = () => owner.delete(`/organizations/${organizationId}`);
const end = ({ status, body }: Answer) => [status, body.error?.code];

it('refuses a completion after the deletion, and changes nothing', async () => {
  const run = await startedRun(app, organizationId);
  const before = await rowsOf(app, run);
  expect((await remove()).status).toBe(200);
  expect(end(await complete(run))).toEqual([409, 'run_lease_expired']);
  expect(await rowsOf(app, run)).toEqual(before);
});

it('knows a completion no more once the organization is deleted, not even as a repeat', async () => {
  const run = await startedRun(app, organizationId);
  expect((await complete(run)).status).toBe(200);
  expect((await remove()).status).toBe(200);
  expect(end(await complete(run))).toEqual([409, 'run_lease_expired']);
});

it('applies a completion that meets the deletion whole or not at all, and the purge takes all of it', async () => {
  for (let round = 0; round < 10; round += 1) {
    organizationId = await organizationOf(owner);
    const run = await startedRun(app, organizationId);
    const [completion, deletion] = await Promise.all([complete(run), remove()]);
    expect(deletion.status).toBe(200);
    expect([200, 409]).toContain(completion.status);
    const { task, runs } = await rowsOf(app, run);
    expect([task.status, runs[0].status]).toEqual(
      completion.status === 200 ? ['completed', 'succeeded'] : ['running', 'starting'],
    );
    await purged();
  }
});

it('answers a completion that waits while the purge comes by', async () => {
  const run = await startedRun(app, organizationId);
  const [completion] = await meetAtLock(app, taskLock(run), [
    () => complete(run),
    // Waits for the same row, as a deletion of it would.
    async () => {
      await app.db.query(`update organization set status = 'deleting' where id = $1`, [organizationId]);
      await app.runJob('organization-purge');
      return undefined as unknown as Answer;
    },
  ]);
  expect([200, 409]).toContain(completion!.status);
  await purged();
});

async function purged(): Promise<void> {
  await app.runJob('organization-purge');
  await app.runJob('organization-purge');
  for (const table of ['organization', 'task', 'run', 'run_request', 'activity']) {
    const column = table === 'organization' ? 'id' : 'organization_id';
    const { rows } = await app.db.query(`select count(*)::int as n from ${table} where ${column} = $1`, [
      organizationId,
    ]);
    expect([table, rows[0].n]).toEqual([table, 0]);
  }
}
