import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { packKey } from '../../../src/modules/git-proxy/push/index.ts';
import { type GitAgent, useCodeHost } from '../../support/connectors/code-host.ts';
import { actionRow, carriedOut, idle, lapseExecutor } from '../../support/factories/posted-actions.ts';
import { askGitBackend } from '../../../examples/git-host/git-backend.ts';
import { stagedPush, type StagedPush } from '../../support/git/staged-push.ts';
import type { WorkCopy } from '../../support/git/work-copy.ts';
import type { GitRequest, Mishap } from '../../support/peers/git-host-peer.ts';

// Its executors look across organizations.
const git = useCodeHost({ ownDatabase: true });
let agent: GitAgent;
let copy: WorkCopy;

beforeAll(async () => {
  copy = await git.copyOf();
});
beforeEach(async () => {
  // A task of its own: what one test leaves unresolved stands in no other's way.
  agent = await git.gitAgent();
  await copy.git(['fetch', '--quiet']);
  await copy.git(['reset', '--quiet', '--hard', 'origin/main']);
});

const isPush = ({ method, service }: GitRequest) => method === 'POST' && service === 'git-receive-pack';
const sent = (): readonly GitRequest[] => git.host.requests.filter(isPush);
const pushing = (mishap: Mishap) => {
  git.host.mishap = (request) => (isPush(request) ? mishap : undefined);
};
const staged = async (options?: Parameters<typeof stagedPush>[2]) => {
  const { mishap } = git.host;
  const push = await stagedPush(agent, copy, options);
  git.host.forget();
  git.host.mishap = mishap;
  return push;
};
const pathOf = ({ id }: StagedPush, rest = '') => git.place.path(`/actions/${id}${rest}`);
const approved = async (push: StagedPush, status: string) => {
  expect((await git.place.owner.post(pathOf(push, '/approve'), {})).status).toBe(200);
  await carriedOut(git.app, push.id, status);
  return actionRow(git.app, push.id);
};
/** The next look of the executor, at its time. */
const looked = async ({ id }: StagedPush) => {
  await git.app.db.query(`update action set settle_at = clock_timestamp() where id = $1 and settle_at is not null`, [
    id,
  ]);
  await git.app.runJob('actions-settle');
  return actionRow(git.app, id);
};
const LOOKS = 4;
const beforeReceiving = (script: string) =>
  writeFile(join(git.shop.folder, 'hooks/pre-receive'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
const stands = () => git.shop.branch('main');

it('sends what was approved, byte for byte, behind a command of its own', async () => {
  const shallow = [await copy.head()];
  const push = await staged({ shallow });
  const whole = await git.place.owner.get(pathOf(push, '/payload'));
  expect([whole.status, whole.headers['content-length']]).toEqual([200, String(push.pack.length)]);
  expect(whole.headers['content-disposition']).toMatch(/^attachment; filename="A-.{6}\.pack"/);
  const part = await git.place.owner.get(pathOf(push, '/payload'), { range: 'bytes=0-3' });
  expect([part.status, part.text]).toEqual([206, 'PACK']);

  expect(await approved(push, 'succeeded')).toMatchObject({ result: { ref: 'refs/heads/main' }, error: null });
  expect([await stands(), sent().length]).toEqual([push.newOid, 1]);
  const [{ body, headers }] = sent() as [GitRequest];
  const end = body.length - push.pack.length;
  expect(body.subarray(end).equals(push.pack)).toBe(true);
  const command = `${push.oldOid} ${push.newOid} refs/heads/main`;
  const own = 'report-status side-band-64k object-format=sha1 agent=service-integration';
  expect(body.toString('latin1', 0, 53)).toBe(`0035shallow ${shallow[0]}\n`);
  expect(body.toString('latin1', 57, end)).toBe(`${command}\0 ${own}0000`);
  expect(headers).toMatchObject({ 'content-type': 'application/x-git-receive-pack-request' });
  expect([headers['git-protocol'], headers['content-encoding']]).toEqual([undefined, undefined]);

  await git.app.app.get(ObjectStore).delete(packKey(git.place.organizationId, push.id));
  const gone = await git.place.owner.get(pathOf(push, '/payload'));
  expect([gone.status, gone.body.error.code]).toEqual([404, 'not_found']);
});

describe('nothing is sent', () => {
  it('where the branch has moved', async () => {
    const push = await staged();
    const theirs = await git.shop.commit('main', { 'README.md': '# Shop of others\n' });
    expect((await approved(push, 'not_executed')).error).toMatchObject({ code: 'ref_moved' });
    expect([await stands(), sent()]).toEqual([theirs, []]);
  });

  it('where the branch that was to begin is there', async () => {
    const push = await staged({ branch: 'feature', begins: true });
    await git.shop.point('feature', (await stands())!);
    expect((await approved(push, 'not_executed')).error).toMatchObject({ code: 'ref_moved' });
    expect(sent()).toEqual([]);
    await git.shop.git(['update-ref', '-d', 'refs/heads/feature']);
  });

  it('where the branch stands there already', async () => {
    const push = await staged();
    await copy.git(['push', '--quiet', git.shop.folder, 'HEAD:main']);
    expect((await approved(push, 'succeeded')).result).toEqual({ ref: push.ref, alreadyThere: true });
    expect(sent()).toEqual([]);
  });

  it('where the stored bytes are damaged', async () => {
    const push = await staged();
    const others = Buffer.from(push.pack).reverse();
    const key = packKey(git.place.organizationId, push.id);
    await git.app.app.get(ObjectStore).put(key, Readable.from([others]), { maxBytes: others.length });
    expect((await approved(push, 'not_executed')).error).toMatchObject({ code: 'payload_damaged' });
    expect(git.host.requests).toEqual([]);
  });

  it('where the repository has moved', async () => {
    const push = await staged();
    git.host.mishap = () => ({ kind: 'answer', status: 301, headers: { location: 'https://elsewhere.example/' } });
    expect((await approved(push, 'not_executed')).error).toMatchObject({ code: 'repository_moved' });
    expect([await stands(), sent()]).toEqual([push.oldOid, []]);
  });

  it('while the host fails for now: it is left to its lease, and goes when the host is back', async () => {
    const push = await staged();
    git.host.mishap = () => ({ kind: 'answer', status: 503 });
    await approved(push, 'executing');
    await idle(git.app);
    git.host.mishap = undefined;
    await lapseExecutor(git.app, push.id);
    await git.app.runJob('actions-lapse');
    await carriedOut(git.app, push.id, 'succeeded');
    expect([await stands(), sent().length]).toEqual([push.newOid, 1]);
  });
});

describe('the word of the host', () => {
  it('counts where it refuses the branch, with what it says beside', async () => {
    await beforeReceiving('echo Only on weekdays. >&2; exit 1');
    const push = await staged();
    expect((await approved(push, 'failed')).error).toEqual({
      code: 'ref_refused',
      message: 'The code host does not move the branch: pre-receive hook declined. It said: Only on weekdays.',
      providerStatus: 200,
    });
    await beforeReceiving('exit 0');
    expect([await stands(), sent().length]).toEqual([push.oldOid, 1]);
  });

  it('does not where it is an error: the branch is read', async () => {
    pushing({ kind: 'answer', status: 500 });
    const push = await staged();
    await approved(push, 'reconciliation_required');
    expect((await looked(push)).status).toBe('reconciliation_required');
    expect([await stands(), sent().length]).toEqual([push.oldOid, 1]);
  });
});

describe('a connection that breaks', () => {
  it('behind the effect: the branch says that it succeeded', async () => {
    pushing({ kind: 'drop', when: 'after' });
    const push = await staged();
    await approved(push, 'reconciliation_required');
    expect(await looked(push)).toMatchObject({ status: 'succeeded', result: { ref: push.ref, seen: true } });
    expect([await stands(), sent().length]).toEqual([push.newOid, 1]);
  });

  it('and a branch that stands elsewhere since: a person says', async () => {
    pushing({ kind: 'drop', when: 'before' });
    const push = await staged();
    await approved(push, 'reconciliation_required');
    await git.shop.commit('main', { 'README.md': '# Shop of others\n' });
    for (let look = 1; look <= LOOKS; look += 1) expect((await looked(push)).status).toBe('reconciliation_required');
    const word = { outcome: 'not_executed', note: 'It is not in the history.' };
    expect((await git.place.owner.post(pathOf(push, '/reconcile'), word)).status).toBe(200);
    expect(sent()).toHaveLength(1);
  });

  it('before the effect: only the look ten minutes later takes it as not executed, and a late landing stays single', async () => {
    pushing({ kind: 'drop', when: 'before' });
    const push = await staged();
    await approved(push, 'reconciliation_required');
    for (let look = 1; look < LOOKS; look += 1) expect((await looked(push)).status).toBe('reconciliation_required');
    expect(await looked(push)).toMatchObject({ status: 'not_executed', error: { code: 'not_applied' } });
    expect([await stands(), sent().length]).toEqual([push.oldOid, 1]);
    const [late] = sent() as [GitRequest];
    git.host.forget();
    const again = await staged({ again: push });
    await approved(again, 'succeeded');
    // The host was slow, and goes on with the first one now.
    const said = await askGitBackend(dirname(dirname(git.shop.folder)), { ...late, path: late.path.toLowerCase() });
    expect(said.body.toString('latin1')).toContain('ng refs/heads/main');
    const since = await git.shop.git(['rev-list', `${push.oldOid}..main`]);
    expect([await stands(), since.toString()]).toEqual([push.newOid, `${push.newOid}\n`]);
  });
});
