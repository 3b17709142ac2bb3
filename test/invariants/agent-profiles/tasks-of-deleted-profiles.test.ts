import { beforeEach, expect, it } from '@jest/globals';
import { seedTree } from '../../support/factories/trees.ts';
import { claim } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** More than one slice takes. */
const TASKS = 1_200;

// The sweep looks across organizations, so others' must not be there.
const { app, owner, organization } = useOrganization({ per: 'test', ownDatabase: true });
let profileId: string;
beforeEach(async () => {
  const profile = { key: 'growth-ads', name: 'Ads', kind: 'department', department: 'growth' };
  profileId = (await owner.post(`/organizations/${organization.id}/agent-profiles`, profile)).body.data.id;
});

const deleteProfile = () => owner.delete(`/organizations/${organization.id}/agent-profiles/${profileId}`);

async function open(): Promise<number> {
  const { rows } = await app.db.query(
    `select count(*)::int as open from task where organization_id = $1 and status in ('pending', 'running', 'blocked')`,
    [organization.id],
  );
  return rows[0].open;
}

it('are cancelled slice by slice behind a DELETE that answers at once, and none of them starts', async () => {
  await seedTree(app, organization.id, { size: TASKS, profile: 'growth-ads', scheduledAt: 'null' });
  await seedTree(app, organization.id, { size: 3 });
  const before = performance.now();
  expect((await deleteProfile()).status).toBe(200);
  expect(performance.now() - before).toBeLessThan(1_000);
  expect((await claim(app, organization.id, { limit: 50 })).body.data).toEqual([]);
  const swept = performance.now();
  await app.runJob('tasks-of-deleted-profiles');
  expect(performance.now() - swept).toBeLessThan(5_000);
  expect(await open()).toBe(4);
  const { rows } = await app.db.query(
    `select count(*)::int as entries from activity
     where organization_id = $1 and verb = 'task.cancelled' and details->>'code' = 'profile_deleted'`,
    [organization.id],
  );
  expect(rows).toEqual([{ entries: TASKS + 1 }]);
});

it('are cancelled by the next sweep where one was cut off between slices', async () => {
  // Roots, so that a slice takes no more than its own.
  const { descendantIds } = await seedTree(app, organization.id, { size: TASKS, profile: 'growth-ads' });
  await app.db.query(`update task set parent_id = null, root_task_id = id where id = any($1)`, [descendantIds]);
  await deleteProfile();
  // The last slice cannot be written, as where the process dies before it.
  await app.db.query(
    `alter table task add constraint cut_off check (id <> '${descendantIds.at(-1)!}' or status <> 'cancelled') not valid`,
  );
  await app.runJob('tasks-of-deleted-profiles');
  const left = await open();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(TASKS);
  await app.db.query('alter table task drop constraint cut_off');
  await app.runJob('tasks-of-deleted-profiles');
  expect(await open()).toBe(0);
});

it('are looked for as long as a creation may still be under way, and not for ever', async () => {
  const { rootId } = await seedTree(app, organization.id, { size: 1, profile: 'growth-ads' });
  await deleteProfile();
  const swept = async () => {
    await app.runJob('tasks-of-deleted-profiles');
    const { rows } = await app.db.query(
      'select tasks_cancelled_at is not null as over from agent_profile where id = $1',
      [profileId],
    );
    return rows[0].over as boolean;
  };
  expect(await swept()).toBe(false);
  // One that saw the profile while it was there.
  await app.db.query(
    `update task set status = 'pending', result = null, completed_at = null where organization_id = $1 and id = $2`,
    [organization.id, rootId],
  );
  expect([await swept(), await open()]).toEqual([false, 0]);
  await app.db.query(`update agent_profile set deleted_at = deleted_at - interval '2 minutes' where id = $1`, [
    profileId,
  ]);
  expect(await swept()).toBe(true);
});
