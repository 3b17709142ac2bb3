import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type GitAgent, useCodeHost } from '../../support/connectors/code-host.ts';
import {
  actionIn,
  keptOf,
  oneCommit,
  pushBytes,
  type PushParts,
  reasonIn,
  sendPush,
} from '../../support/git/pushing.ts';
import type { WorkCopy } from '../../support/git/work-copy.ts';

const code = useCodeHost();
const NO_OBJECT = '0'.repeat(40);
let agent: GitAgent;
let copy: WorkCopy;
let branches = 0;

beforeAll(async () => {
  copy = await code.cloneAs(await code.gitAgent());
});
beforeEach(async () => {
  agent = await code.gitAgent();
});

interface ShownAction {
  readonly id: string;
  readonly reference: string;
  readonly status: string;
  readonly dedupeKey: string;
  readonly error: { readonly code: string } | null;
}

const refOf = () => `refs/heads/topic-${(branches += 1)}`;
const commit = (ref = refOf()) => oneCommit(copy, ref);
const push = (parts: PushParts) => sendPush(agent, pushBytes(parts));
const read = async (path: string) => (await code.place.owner.get(code.place.path(path))).body.data;
const actions = (): Promise<readonly ShownAction[]> => read(`/actions?taskId=${agent.taskId}`);
const detail = (id: string) => read(`/actions/${id}`);
const reject = (id: string) => code.place.owner.post(code.place.path(`/actions/${id}/reject`), {});
const moved = (id: string, status: string) =>
  code.app.db.query('update action set status = $2, finished_at = now() where id = $1', [id, status]);

describe('200, empty', () => {
  it('of a client that asks whether it may push', async () => {
    const { status, type, text } = await sendPush(agent, Buffer.from('0000'));
    expect([status, type, text]).toEqual([200, 'application/x-git-receive-pack-result', '']);
  });
});

describe('approval required', () => {
  it('is what git shows, with what to do; a person sees commits and paths', async () => {
    const pusher = await code.cloneAs(agent);
    const before = await pusher.head();
    await pusher.git(['rm', '--quiet', 'README.md']);
    const after = await pusher.commit('new.txt', 'new\n');
    const { status, stderr } = await pusher.attempt(['push', 'origin', 'HEAD:main'], '', agent.env);
    expect(status).toBe(1);
    const [{ id, reference }] = (await actions()) as readonly [ShownAction];
    expect(stderr).toContain(`! [remote rejected] HEAD -> main (approval required: action ${reference})`);
    expect(stderr).toMatch(new RegExp(`remote: Do not push again; .* ${reference}.*\\s+remote: ${id}`));
    const action = await detail(id);
    expect(action).toMatchObject({
      kind: 'git_push',
      connectorKey: 'code-host',
      integrationId: code.id,
      toolName: 'git_push',
      title: 'Push main of Acme/Shop',
      risk: 'high',
      status: 'awaiting_approval',
      taskId: agent.taskId,
      arguments: { repository: 'Acme/Shop', ref: 'refs/heads/main', oldOid: before, newOid: after, shallow: [] },
    });
    expect(action.preview).toMatch(
      new RegExp(
        [
          'Acme/Shop: branch main',
          `  from ${before}`,
          `  to ${after}`,
          '  1 commit, 2 changed paths, 1 of them deleted',
          '',
          'Changed paths, the deleted ones first:',
          '  D README.md',
          '  A new.txt',
          '',
          'Commits, the newest first:',
          String.raw`  ${after.slice(0, 12)} \S+ Agent: Change new.txt \(1\)$`,
        ].join('\n'),
      ),
    );
    const { rows } = await code.app.db.query('select * from git_push where action_id = $1', [id]);
    expect(rows).toEqual([
      expect.objectContaining({ integration_id: code.id, old_oid: before, new_oid: after, shallow: [] }),
    ]);
  });

  it('is said as its client asks: in a side band, bare, or by the status', async () => {
    const banded = await push(await commit());
    expect(banded.report).toMatchObject({
      refs: [{ isDone: false }],
      remarks: [expect.stringMatching(/kept/), expect.anything(), expect.anything()],
    });
    const bare = await push({ ...(await commit()), capabilities: 'report-status' });
    expect(bare.text).toMatch(
      /^000eunpack ok\n....ng refs\/heads\/topic-\d+ approval required: action A-......\n0000$/,
    );
    const silent = await push({ ...(await commit()), capabilities: 'side-band-64k' });
    expect(silent).toMatchObject({
      status: 409,
      type: 'text/plain; charset=utf-8',
      text: expect.stringMatching(/^approval required: action A-......\.\n$/),
    });
  });

  it('of a branch that begins at a commit that the host has, and of one with history of its own', async () => {
    const { oldOid, newOid } = await commit();
    const empty = await push({ ref: refOf(), newOid: oldOid, pack: await copy.pack([]) });
    expect(reasonIn(empty)).toMatch(/^approval required/);
    const whole = await push({ ref: refOf(), newOid, pack: await copy.pack([newOid]) });
    expect(reasonIn(whole)).toMatch(/^approval required/);
    const [second, first] = await actions();
    expect((await detail(first!.id)).preview).toMatch(/begins at .*\n  0 commits, [^]*\n\nNo commits:/);
    expect((await detail(second!.id)).preview).toMatch(/  A notes\.txt\n[^]*Commits, the newest first:/);
  });

  it('of a merge with another branch, of which the host has what git leaves out', async () => {
    const side = await code.cloneAs(agent);
    const begun = await side.head();
    const nested = { 'side/deep/a.txt': 'a\n', 'side/deep/b.txt': 'b\n' };
    await code.shop.commit('main', nested);
    await code.shop.point('topic', begun);
    await code.shop.commit('topic', { 'topic.txt': 'topic\n' });
    await side.git(['fetch', '--quiet', 'origin'], '', agent.env);
    await side.git(['checkout', '--quiet', '-B', 'topic', 'origin/topic']);
    await side.git(['merge', '--quiet', '--no-edit', 'origin/main']);
    await side.attempt(['push', 'origin', 'topic'], '', agent.env);
    const [{ id }] = (await actions()) as readonly [ShownAction];
    const { preview } = await detail(id);
    expect(preview).toContain('  1 commit, 2 changed paths, 0 of them deleted\n');
    for (const path of Object.keys(nested)) expect(preview).toContain(`  A ${path}\n`);
  });

  it.each([
    ['text', 'x'.repeat(1_200_000)],
    ['bytes that are no text', Buffer.alloc(1_200_000, 0xff)],
  ])('of a commit with a subject of more than a MB of %s', async (_name, subject) => {
    const { oldOid, ref } = await commit();
    // By hand, since `git commit` makes a text of everything.
    const head = (await copy.git(['cat-file', 'commit', oldOid])).toString().split('\n\n')[0]!;
    const lines = head.split('\n').filter((line) => !line.startsWith('parent '));
    const begun = [lines[0], `parent ${oldOid}`, ...lines.slice(1), '', ''].join('\n');
    const object = Buffer.concat([Buffer.from(begun), Buffer.from(subject as string), Buffer.from('\n')]);
    const newOid = (await copy.git(['hash-object', '-t', 'commit', '-w', '--stdin'], object)).toString().trim();
    const answer = await push({ oldOid, newOid, ref: ref!, pack: await copy.pack([newOid, `^${oldOid}`]) });
    expect(reasonIn(answer)).toMatch(/^approval required/);
    const [{ id }] = (await actions()) as readonly [ShownAction];
    expect((await detail(id)).preview).toMatch(new RegExp(`\n  ${newOid.slice(0, 12)} .{20,310}$`, 'u'));
  });

  it('of a shallow copy, whose end of history goes along', async () => {
    const { oldOid, newOid, ref, pack } = await commit();
    await push({ oldOid, newOid, ref: ref!, pack: pack!, shallow: [oldOid] });
    const [{ id }] = (await actions()) as readonly [ShownAction];
    expect((await detail(id)).arguments.shallow).toEqual([oldOid]);
  });

  it('also where the host does not show what was there before', async () => {
    code.host.mishap = () => ({ kind: 'drop', when: 'before' });
    expect(reasonIn(await push(await commit()))).toMatch(/^approval required/);
    const [{ id }] = (await actions()) as readonly [ShownAction];
    expect((await detail(id)).preview).toContain('Changed paths are not known');
  });

  it('of a body that comes packed', async () => {
    const answer = await sendPush(agent, gzipSync(pushBytes(await commit())), { 'content-encoding': 'gzip' });
    expect(reasonIn(answer)).toMatch(/^approval required/);
  });
});

describe('a push again', () => {
  it('meets its action, whatever its pack, and leaves no bytes', async () => {
    const parts = await commit();
    const first = await push(parts);
    const before = await keptOf(code);
    const again = await push({
      ...parts,
      pack: await copy.pack([parts.newOid, `^${parts.oldOid}`], ['--compression=0']),
    });
    expect(reasonIn(again)).toBe(reasonIn(first));
    expect(await keptOf(code)).toEqual(before);
    expect(await actions()).toHaveLength(1);
  });

  it('hears that a person rejected it, or that it is done', async () => {
    const [rejected, done] = [await commit(), await commit()];
    await push(rejected);
    await push(done);
    const [second, first] = await actions();
    expect((await reject(first!.id)).status).toBe(200);
    expect(reasonIn(await push(rejected))).toBe(`a person rejected it: action ${first!.reference}`);
    await moved(second!.id, 'succeeded');
    expect((await push(done)).report).toEqual({
      refs: [{ ref: done.ref, isDone: true }],
      remarks: [`Already pushed by action ${second!.reference}; it is not sent again.`],
    });
    expect(await actions()).toHaveLength(2);
  });

  it.each(['failed', 'not_executed', 'expired', 'cancelled'])(
    'is another action where the first one %s',
    async (status) => {
      const parts = await commit();
      const first = actionIn(await push(parts));
      await moved((await actions())[0]!.id, status);
      const second = actionIn(await push(parts));
      expect(second).not.toBe(first);
      const [newest, oldest] = await actions();
      expect(newest!.dedupeKey).toBe(`${oldest!.dedupeKey}:2`);
      expect(actionIn(await push(parts))).toBe(second);
    },
  );
});

describe('a newer push to the branch', () => {
  it('takes the place of one that awaits approval', async () => {
    const first = await commit();
    const second = await commit(first.ref);
    await push(first);
    await push({ ...second, oldOid: first.oldOid, pack: await copy.pack([second.newOid, `^${first.oldOid}`]) });
    expect((await actions()).map(({ status, error }) => [status, error?.code])).toEqual([
      ['awaiting_approval', undefined],
      ['cancelled', 'superseded'],
    ]);
    const items: readonly { readonly status: string }[] = await read(
      `/human-inbox?taskId=${agent.taskId}&kind=approval`,
    );
    expect(items.map(({ status }) => status)).toEqual(['open', 'withdrawn']);
  });

  it('waits for one that is approved or at work', async () => {
    const first = await commit();
    await push(first);
    const [{ id, reference }] = (await actions()) as readonly [ShownAction];
    for (const status of ['approved', 'executing', 'reconciliation_required']) {
      await code.app.db.query(
        "update action set status = $2, lease_expires_at = now() + interval '1 hour' where id = $1",
        [id, status],
      );
      const second = await push(await commit(first.ref));
      expect(reasonIn(second)).toBe(`another push to the branch is under way: action ${reference}`);
    }
    expect(await actions()).toHaveLength(1);
  });

  it('leaves those to other branches and repositories', async () => {
    await push(await commit());
    await push(await commit());
    expect((await actions()).map(({ status }) => status)).toEqual(['awaiting_approval', 'awaiting_approval']);
  });
});

describe('ok', () => {
  const pushing = async (branch: string) => {
    const pusher = await code.cloneAs(agent);
    const oid = await pusher.commit('a.txt', branch);
    return { oid, ...(await pusher.attempt(['push', 'origin', `HEAD:${branch}`], '', agent.env)) };
  };
  const permit = async (mode: string, risks: string) => {
    await code.app.db.query('update integration set access_mode = $1 where id = $2', [mode, code.id]);
    await code.app.db.query('update organization set approval_required_for_risk = $1 where id = $2', [
      risks,
      code.place.organizationId,
    ]);
  };
  beforeEach(() => permit('autonomous', '{}'));
  afterEach(() => permit('ask_before_write', '{external,high}'));

  it('where nobody has to approve it: the host has it when git is done', async () => {
    const { status, stderr, oid } = await pushing('autonomous');
    expect([status, stderr]).toEqual([0, expect.stringMatching(/remote: The push is on its way as action A-/)]);
    expect(await code.shop.branch('autonomous')).toBe(oid);
    expect(code.host.asked.filter((each) => each === 'POST git-receive-pack')).toHaveLength(1);
  });

  it('is no word of a host that refuses', async () => {
    code.host.mishap = ({ isDiscovery, service }) =>
      !isDiscovery && service === 'git-receive-pack' ? { kind: 'answer', status: 403, body: 'no' } : undefined;
    const { status, stderr } = await pushing('refused');
    expect([status, stderr]).toEqual([1, expect.stringMatching(/\(the host refused it: action A-......: The cred/)]);
    expect(await code.shop.branch('refused')).toBeNull();
  });

  it('is not known of a host that breaks off', async () => {
    code.host.mishap = ({ isDiscovery, service }) =>
      !isDiscovery && service === 'git-receive-pack' ? { kind: 'drop', when: 'before' } : undefined;
    const { status, stderr } = await pushing('unknown');
    expect([status, stderr]).toEqual([1, expect.stringMatching(/\(nobody knows yet whether it arrived: action A-/)]);
  });

  it('is said without a side band, and by an empty answer, too', async () => {
    const parts = { ...(await commit()), oldOid: NO_OBJECT };
    const pack = await copy.pack([parts.newOid]);
    const bare = await push({ ...parts, pack, capabilities: 'report-status' });
    expect(bare.text).toBe(
      `000eunpack ok\n${(`ok ${parts.ref}\n`.length + 4).toString(16).padStart(4, '0')}ok ${parts.ref}\n0000`,
    );
    const silent = await push({ ...parts, ref: refOf(), pack, capabilities: '' });
    expect([silent.status, silent.text]).toEqual([200, '']);
  });
});
