import { describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { TestApp } from '../../support/test-app.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp({ ownDatabase: true, env: { ACTIVITY_RETENTION_MONTHS: '2' } });
const thisMonth = Temporal.Now.plainDateISO('UTC').toPlainYearMonth();

function nameOf(month: Temporal.PlainYearMonth): string {
  return `activity_${month.toString().replace('-', '_')}`;
}

async function partitions(): Promise<string[]> {
  const { rows } = await app.db.query(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'activity'::regclass order by 1`,
  );
  return (rows as { name: string }[]).map(({ name }) => name);
}

function months(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, n) => nameOf(thisMonth.add({ months: first + n })));
}

describe('activity partitions', () => {
  it('are there for this month and three ahead after the migration, with a default behind', async () => {
    expect(await partitions()).toEqual([...months(0, 3), 'activity_default'].toSorted());
  });

  it('are made again where one is missing, by several replicas at once, and repeatably', async () => {
    await app.db.query(`drop table ${nameOf(thisMonth.add({ months: 3 }))}`);
    const other = await TestApp.start({ databaseUrl: app.databaseUrl });
    await Promise.all([app.runJob('activity-partitions'), other.runJob('activity-partitions')]);
    await app.runJob('activity-partitions');
    await other.close();
    expect(await partitions()).toEqual([...months(0, 3), 'activity_default'].toSorted());
  });

  it('are dropped with their rows past the retention, and not before', async () => {
    const owner = await app.person();
    const organizationId = await organizationOf(owner);
    for (const ago of [1, 2, 3]) {
      const month = thisMonth.subtract({ months: ago });
      await app.db.query(
        `create table ${nameOf(month)} partition of activity
         for values from ('${month.toString()}-01T00:00:00Z') to ('${month.add({ months: 1 }).toString()}-01T00:00:00Z')`,
      );
      await app.db.query(
        `insert into activity (organization_id, at, id, actor_kind, actor_id, actor_name, verb, subject_kind, subject_id, subject_label, details)
         values ($1, $2, gen_random_uuid(), 'system', 'system', 'test', 'task.completed', 'test', '1', $3, '{}')`,
        [organizationId, `${month.toString()}-15T00:00:00Z`, `${ago} months ago`],
      );
    }
    await app.runJob('activity-partitions');
    expect(await partitions()).toEqual([...months(-2, 3), 'activity_default'].toSorted());
    const { body } = await owner.get(`/organizations/${organizationId}/activity?verb=task.completed`);
    expect(body.data.map(({ subject }: { subject: { label: string } }) => subject.label)).toEqual([
      '1 months ago',
      '2 months ago',
    ]);
  });

  it('take over what was written while a month had none, and leave nothing expired in the default one', async () => {
    const owner = await app.person();
    const organizationId = await organizationOf(owner);
    await app.db.query(`drop table ${months(0, 3).join(', ')}`);
    await owner.patch(`/organizations/${organizationId}`, { name: 'Written without a partition' });
    await app.db.query(
      `insert into activity (organization_id, at, id, actor_kind, actor_id, actor_name, verb, subject_kind, subject_id, subject_label, details)
       values ($1, '2020-01-15T00:00:00Z', gen_random_uuid(), 'system', 'system', 'test', 'task.completed', 'test', '1', 'expired', '{}')`,
      [organizationId],
    );
    await app.runJob('activity-partitions');
    const { rows } = await app.db.query(
      `select tableoid::regclass::text as partition, verb from activity where organization_id = $1`,
      [organizationId],
    );
    expect(rows).toEqual([{ partition: nameOf(thisMonth), verb: 'organization.updated' }]);
    expect(await partitions()).toEqual([...months(-2, 3), 'activity_default'].toSorted());
    const { body } = await owner.get(`/organizations/${organizationId}/activity`);
    expect(body.data).toHaveLength(1);
    await owner.patch(`/organizations/${organizationId}`, { name: 'And with one' });
    expect((await owner.get(`/organizations/${organizationId}/activity`)).body.data).toHaveLength(2);
  });
});
