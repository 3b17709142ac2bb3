import { request } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newId } from '../../../src/kernel/ids/index.ts';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { activeAccess } from '../../../src/kernel/tenancy/index.ts';
import { Transactions } from '../../../src/kernel/database/index.ts';
import { EdgeErrors } from '../../../src/kernel/errors/index.ts';
import { GitPushesJobs } from '../../../src/modules/git-proxy/push/git-pushes.jobs.ts';
import { packKey, pushUploads } from '../../../src/modules/git-proxy/push/git-pushes.queries.ts';
import { type GitAgent, useCodeHost } from '../../support/connectors/code-host.ts';
import { keptOf, oneCommit, pushBytes, reasonIn, sendPush } from '../../support/git/pushing.ts';
import type { WorkCopy } from '../../support/git/work-copy.ts';
import { until } from '../../support/until.ts';

// Its jobs look across organizations.
const code = useCodeHost({ ownDatabase: true });
let agent: GitAgent;
let copy: WorkCopy;
let branches = 0;
beforeAll(async () => {
  copy = await code.cloneAs(await code.gitAgent());
});
beforeEach(async () => {
  agent = await code.gitAgent();
});

const commit = () => oneCommit(copy, `refs/heads/topic-${(branches += 1)}`);
const never = new AbortController().signal;
const jobs = () => code.app.app.get(GitPushesJobs);
const store = () => code.app.app.get(ObjectStore);
const age = () => code.app.db.query(`update git_push_upload set begun_at = now() - interval '1 hour'`);
const isStored = async (id: string) => (await store().stat(packKey(code.place.organizationId, id))) !== undefined;

async function staged(): Promise<string> {
  const parts = await commit();
  await sendPush(agent, pushBytes(parts));
  const { rows } = await code.app.db.query<{ id: string }>('select action_id as id from git_push where ref = $1', [
    parts.ref,
  ]);
  return rows[0]!.id;
}

it('keeps nothing of a client that leaves within its body', async () => {
  const before = await keptOf(code);
  const whole = pushBytes(await commit());
  const left = request(`${agent.addressOf('Acme/Shop')}/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${agent.capability}`,
      'content-type': 'application/x-git-receive-pack-request',
      'content-length': whole.length,
    },
  });
  left.on('error', () => undefined).write(whole.subarray(0, -1));
  await until('its bytes are noted', async () => (await keptOf(code)).notes === before.notes + 1);
  left.destroy();
  await until('nothing is left of it', async () => (await keptOf(code)).notes === before.notes);
  expect(await keptOf(code)).toEqual(before);
});

it('removes what a process leaves that dies between the store and the row, and not what it is still at', async () => {
  const before = await keptOf(code);
  const { organizationId } = code.place;
  const died = { organizationId, id: newId() };
  await code.app.app
    .get(Transactions)
    .batch(activeAccess(organizationId, EdgeErrors.stateConflict), [pushUploads.begin(died)]);
  await store().put(pushUploads.objectKeyOf(died), Readable.from([Buffer.from('PACK')]), { maxBytes: 4 });
  await jobs().discardStale(never);
  expect(await isStored(died.id)).toBe(true);
  await age();
  await jobs().discardStale(never);
  expect(await keptOf(code)).toEqual(before);
});

it('refuses a push whose bytes were given up before it was proposed', async () => {
  const before = await keptOf(code);
  const whole = pushBytes(await commit());
  const body = new PassThrough();
  const answer = sendPush(agent, body);
  body.write(whole.subarray(0, -10));
  await until('its bytes are noted', async () => (await keptOf(code)).notes === before.notes + 1);
  await age();
  await jobs().discardStale(never);
  body.end(whole.subarray(-10));
  expect(reasonIn(await answer)).toBeDefined();
  await until('its bytes are gone', async () => (await keptOf(code)).objects === before.objects);
  expect(await keptOf(code)).toEqual(before);
});

it('keeps bytes for seven days behind the end of their action, and as long as it has none', async () => {
  const [open, fresh, old] = [await staged(), await staged(), await staged()];
  const end = (id: string, days: number) =>
    code.app.db.query(
      `update action set status = 'cancelled', finished_at = now() - $2 * interval '1 day' where id = $1`,
      [id, days],
    );
  await end(fresh, 6.9);
  await end(old, 7.1);
  const before = await keptOf(code);
  await Promise.all([jobs().removeEnded(never), jobs().removeEnded(never)]);
  expect(await keptOf(code)).toEqual({ ...before, pushes: before.pushes - 1, objects: before.objects - 1 });
  expect([await isStored(open), await isStored(fresh), await isStored(old)]).toEqual([true, true, false]);
  const payload = await code.place.owner.get(code.place.path(`/actions/${old}/payload`));
  expect(payload.status).toBe(404);
});
