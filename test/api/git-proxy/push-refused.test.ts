import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pktLine } from '../../../src/modules/git-proxy/protocol/index.ts';
import { type GitAgent, useCodeHost } from '../../support/connectors/code-host.ts';
import {
  GIT_ASKS,
  keptOf,
  oneCommit,
  pushBytes,
  type PushParts,
  reasonIn,
  sendPush,
} from '../../support/git/pushing.ts';
import type { WorkCopy } from '../../support/git/work-copy.ts';
import { until } from '../../support/until.ts';

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

const refOf = () => `refs/heads/topic-${(branches += 1)}`;
const commit = () => oneCommit(copy, refOf());
const push = (parts: PushParts) => sendPush(agent, pushBytes(parts));

describe('a push is refused', () => {
  const asks = (word: string) => ({ capabilities: `${GIT_ASKS} ${word}` });

  it.each<[string, (parts: PushParts) => Partial<PushParts>, string]>([
    [
      'of two branches',
      ({ newOid }) => ({ others: [`${NO_OBJECT} ${newOid} refs/heads/b`] }),
      'push one branch at a time',
    ],
    ['of a tag', () => ({ ref: 'refs/tags/v1' }), 'only branches are pushed here, by a name that git takes'],
    [
      'of a name that climbs',
      () => ({ ref: 'refs/heads/../tags/v1' }),
      'only branches are pushed here, by a name that git takes',
    ],
    ...['\u202emain', 'main\u200b', 'a\u0085b'].map((name): [string, () => Partial<PushParts>, string] => [
      `of the name ${JSON.stringify(name)}`,
      () => ({ ref: `refs/heads/${name}` }),
      'the name of the branch has characters that nobody sees',
    ]),
    ['that deletes', () => ({ newOid: NO_OBJECT }), 'branches are not deleted here'],
    ['that changes nothing', ({ newOid }) => ({ oldOid: newOid }), 'the push changes nothing'],
    ['with options', () => asks('push-options'), 'push options cannot be passed on'],
    [
      'of other objects',
      () =>
        asks('object-format=sha256').capabilities
          ? { capabilities: 'report-status side-band-64k object-format=sha256' }
          : {},
      'only objects of SHA-1 can be verified here',
    ],
    [
      'that proves no way forward',
      () => ({ oldOid: 'a'.repeat(40) }),
      'not a fast-forward that this push proves; merge with --no-ff and push again',
    ],
  ])('%s', async (_, change, reason) => {
    const parts = await commit();
    const before = await keptOf(code);
    const { status, report } = await push({ ...parts, ...change(parts) });
    expect(status).toBe(200);
    expect(report!.unpackFault).toBeUndefined();
    for (const verdict of report!.refs) expect(verdict).toMatchObject({ isDone: false, reason });
    expect(report!.refs.length).toBeGreaterThan(0);
    expect(await keptOf(code)).toEqual(before);
  });

  it.each<[string, (parts: PushParts) => Promise<Buffer> | Buffer, string]>([
    [
      'that is thin',
      ({ newOid, oldOid }) => copy.pack([newOid, `^${oldOid}`], ['--thin', '--delta-base-offset']),
      'the pack is thin; push with --no-thin',
    ],
    ['that is cut off', ({ pack }) => pack!.subarray(0, -5), 'the pack is cut off'],
    ['that is missing', () => Buffer.alloc(0), 'the pack is cut off'],
    ['that is none', () => Buffer.from('no pack at all, but long enough'), 'what follows the command is no pack'],
    [
      'with more than the branch needs',
      async ({ newOid, oldOid }) => {
        const extra = (await copy.git(['hash-object', '-w', '--stdin'], 'smuggled')).toString().trim();
        const needed = (
          await copy.git(['rev-list', '--objects', '--no-object-names', newOid, `^${oldOid}`])
        ).toString();
        return copy.packOf([...needed.trim().split('\n'), extra]);
      },
      'the pack holds objects that the branch does not need',
    ],
  ])('with a pack %s', async (_, packOf, reason) => {
    const ref = refOf();
    await copy.commit('large.txt', 'a line\n'.repeat(2_000));
    await copy.commit('large.txt', `${'a line\n'.repeat(2_000)}one more\n`);
    const newOid = await copy.head();
    const oldOid = (await copy.git(['rev-parse', 'HEAD~1'])).toString().trim();
    const parts = { ref, oldOid, newOid, pack: await copy.pack([newOid, `^${oldOid}`]) };
    const before = await keptOf(code);
    const { report } = await push({ ...parts, pack: await packOf(parts) });
    expect(report).toEqual({ unpackFault: reason, refs: [{ ref, isDone: false, reason }] });
    expect(await keptOf(code)).toEqual(before);
  });

  it('of a name that is no UTF-8', async () => {
    const before = await keptOf(code);
    const bytes = pushBytes({ ...(await commit()), ref: 'refs/heads/caf?' });
    bytes[bytes.indexOf('caf?') + 3] = 0xe9;
    expect(reasonIn(await sendPush(agent, bytes))).toBe('only branches are pushed here, by a name that git takes');
    expect(await keptOf(code)).toEqual(before);
  });

  it('that is signed', async () => {
    const signed = Buffer.concat([
      pktLine(`push-cert\0 ${GIT_ASKS}\n`),
      pktLine('certificate version 0.1\n'),
      Buffer.from('0000'),
    ]);
    const answer = await sendPush(agent, signed);
    expect(answer.report).toEqual({ unpackFault: 'signed pushes cannot be passed on', refs: [] });
  });

  it('whose body is not packed as it says', async () => {
    const parts = await commit();
    const packed = gzipSync(pushBytes(parts), { level: 0 });
    const answer = await sendPush(agent, packed.subarray(0, -40), { 'content-encoding': 'x-gzip' });
    expect(reasonIn(answer)).toBe('the body is not packed as it says');
  });

  it('by what an owner changes while it comes', async () => {
    const before = await keptOf(code);
    const [first, second] = [await commit(), await commit()];
    const answers = [];
    for (const [parts, change] of [
      [first, () => code.save({ repositories: ['Acme/Shop'] })],
      [
        second,
        () =>
          code.app.db.query(`update run set status = 'cancelled', finished_at = now() where id = $1`, [agent.runId]),
      ],
    ] as const) {
      agent = await code.gitAgent();
      const whole = pushBytes(parts);
      const body = new PassThrough();
      const answer = sendPush(agent, body);
      body.write(whole.subarray(0, -10));
      await until('its bytes are noted', async () => (await keptOf(code)).notes > 0);
      await change();
      body.end(whole.subarray(-10));
      answers.push(reasonIn(await answer));
    }
    await code.save({ repositories: null });
    expect(answers).toEqual([
      expect.stringMatching(/authorization|epoch|anew|changed/),
      expect.stringMatching(/over|ended/),
    ]);
    expect(await keptOf(code)).toEqual(before);
  });

  it('beyond the actions of its task', async () => {
    await code.app.db.query('update task set max_actions = 1 where id = $1', [agent.taskId]);
    await push(await commit());
    expect(reasonIn(await push(await commit()))).toBe('The task or turn has proposed as many actions as it may.');
  });

  it('of more than 50 MiB, in words that git shows', async () => {
    const before = await keptOf(code);
    const pusher = await code.cloneAs(agent);
    await pusher.git(['config', 'core.compression', '0']);
    await pusher.commit('large.bin', randomBytes(51 * 1_024 * 1_024));
    const { status, stderr } = await pusher.attempt(['push', 'origin', 'HEAD:large'], '', agent.env);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/\[remote rejected\] HEAD -> large \(the pack is larger than 50 MiB/),
    ]);
    expect(await keptOf(code)).toEqual(before);
  });
});

describe('400', () => {
  it.each<[string, string | Buffer]>([
    ['a length of 0003', '0003'],
    ['packets of another version', '0001'],
    ['a length that is none', 'zzzz'],
    ['a length past the end', '00ff'],
    ['no flush', pushBytes({ newOid: 'a'.repeat(40) }).subarray(0, -4)],
    ['bytes behind a lone flush', '0000PACK'],
    ['a command that is none', '0008abcd0000'],
    ['shallow lines alone', `0035shallow ${'a'.repeat(40)}\n0000`],
  ])('of %s', async (_, body) => {
    const { status, type, text } = await sendPush(agent, Buffer.from(body));
    expect([status, type, text.split('\n').length]).toEqual([400, 'text/plain; charset=utf-8', 2]);
  });

  it('of what is not packed at all', async () => {
    const { status } = await sendPush(agent, Buffer.from('0000'), { 'content-encoding': 'gzip' });
    expect(status).toBe(400);
  });
});

describe('401', () => {
  it('of runs that plan or verify, and of another department', async () => {
    for (const other of [
      await code.gitAgent({ run: { mode: 'plan' } }),
      await code.gitAgent({ run: { mode: 'verify' } }),
      await code.gitAgent({}, 'growth'),
    ]) {
      const { status, type } = await sendPush(other, Buffer.from('0000'));
      expect([status, type]).toEqual([401, 'text/plain; charset=utf-8']);
    }
  });
});

describe('404', () => {
  it('of a repository beyond the connector', async () => {
    await code.save({ repositories: ['Acme/docs'] });
    agent = await code.gitAgent();
    expect((await sendPush(agent, Buffer.from('0000'))).status).toBe(404);
    await code.save({ repositories: null });
  });
});

describe('409', () => {
  it('of an epoch that is over', async () => {
    await code.save({ repositories: ['Acme/Shop', 'Acme/docs'] });
    expect((await sendPush(agent, Buffer.from('0000'))).status).toBe(409);
    await code.save({ repositories: null });
  });
});

describe('415', () => {
  it('of another type, and of another packing', async () => {
    const send = (headers: Readonly<Record<string, string>>) => sendPush(agent, Buffer.from('0000'), headers);
    expect((await send({ 'content-type': 'application/octet-stream' })).status).toBe(415);
    expect((await send({ 'content-encoding': 'br' })).status).toBe(415);
  });
});
