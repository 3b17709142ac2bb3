import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import {
  actionRow,
  approved,
  idle,
  lapseExecutor,
  postingExecutor,
  proposer,
} from '../../support/factories/posted-actions.ts';
import { useActionReceiver } from '../../support/peers/action-receiver.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { until } from '../../support/until.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const POST_ACTIONS = fileURLToPath(new URL('../../support/processes/post-actions.mjs', import.meta.url));

const receiver = useActionReceiver();
const { app, owner, organization } = useOrganization({ ownDatabase: true });
afterAll(() => ServiceProcess.killAll());

it('parks each action once whose process was killed behind the release, and never sends it again', async () => {
  const answer = Promise.withResolvers<void>();
  receiver.hold = answer.promise;
  const service = await ServiceProcess.start({
    env: onDatabase(app.databaseUrl, { RECEIVER_URL: receiver.url }),
    preload: POST_ACTIONS,
  });
  postingExecutor(app, receiver);
  const by = await proposer(app, owner, organization.id);
  const ids: string[] = [];
  for (let nth = 0; nth < 6; nth += 1) ids.push(await approved(app, owner, by));
  // As many as one organization may have underway; the provider has read them and does not answer.
  await until('four are on their way', () => receiver.requests.length === 4);
  await service.kill();
  receiver.hold = undefined;
  answer.resolve();
  const sent = receiver.requests.map(({ actionId }) => actionId);
  const unsent = ids.filter((id) => !sent.includes(id));
  for (const id of sent) expect((await actionRow(app, id)).status).toBe('executing');

  for (const id of sent) await lapseExecutor(app, id);
  for (let look = 0; look < 3; look += 1) {
    await app.runJob('actions-lapse');
    await app.runJob('actions-take');
    await idle(app);
  }
  for (const id of sent) {
    expect(await actionRow(app, id)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'executor_lost' },
    });
    expect(receiver.countOf(id)).toBe(1);
    const { rows } = await app.db.query(`select count(*)::int as n from activity where subject_id = $1 and verb = $2`, [
      id,
      'action.reconciliation_required',
    ]);
    expect(rows[0].n).toBe(1);
  }
  // What it never sent was carried out by another process.
  for (const id of unsent) {
    expect((await actionRow(app, id)).status).toBe('succeeded');
    expect(receiver.countOf(id)).toBe(1);
  }
}, 120_000);
