import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_OBJECT, type RefCommand } from '../../../src/modules/git-proxy/protocol/index.ts';
import { PushVerification, type VerifiedPush } from '../../../src/modules/git-proxy/verification/index.ts';
import {
  PrivateRepository,
  removeLeftRepositories,
} from '../../../src/modules/git-proxy/verification/private-repository.ts';
import { WorkCopy } from '../../support/git/work-copy.ts';

const PREFIX = join(tmpdir(), 'business-runner-push-');
const MOST_BYTES = 50 * 1_024 * 1_024;
let copy: WorkCopy;
let first: string;
let second: string;
let third: string;
let blob: string;

beforeAll(async () => {
  copy = await WorkCopy.create();
  first = await copy.commit('a.txt', 'a'.repeat(20_000));
  second = await copy.commit('a.txt', `${'a'.repeat(20_000)}b`);
  third = await copy.commit('b.txt', 'b');
  blob = (await copy.git(['hash-object', '-w', '--stdin'], 'of nobody')).toString().trim();
});
afterAll(() => copy.remove());

async function verify(pack: Buffer, command: Partial<RefCommand>, size = pack.length): Promise<VerifiedPush> {
  const whole = { oldOid: first, newOid: third, ref: 'refs/heads/main', ...command };
  const verification = await PushVerification.begin(whole, MOST_BYTES);
  try {
    for (let at = 0; at < pack.length; at += size) await verification.write(pack.subarray(at, at + size));
    return await verification.finish();
  } finally {
    await verification.end();
  }
}

/** A pack of one object whose text is made here. */
function packOf(type: number, text: Buffer, size = text.length, count = 1): Buffer {
  const header = Buffer.alloc(12);
  header.write('PACK', 'latin1');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(count, 8);
  const sizes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    sizes[sizes.length - 1]! |= 128;
    sizes.push(rest & 127);
  }
  const body = Buffer.concat([header, Buffer.from(sizes), deflateSync(text)]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

describe('a push is sound', () => {
  it('that brings what lies between where the branch stood and where it is to stand', async () => {
    const pack = await copy.pack([third, `^${first}`]);
    for (const size of [1_000_000, 11, 700]) {
      const { walked, isEmpty } = await verify(pack, {}, size);
      expect(walked.commits.map(({ oid }) => oid)).toEqual([third, second]);
      expect([...walked.bases]).toEqual([first]);
      expect(isEmpty).toBe(false);
    }
  });

  it('that begins a branch, with history or at a commit that the host has', async () => {
    const whole = await verify(await copy.pack([third]), { oldOid: NO_OBJECT });
    expect(whole.walked.commits).toHaveLength(3);
    expect(whole.walked.bases.size).toBe(0);
    const empty = await verify(await copy.pack([]), { oldOid: NO_OBJECT });
    expect(empty).toMatchObject({ isEmpty: true, walked: { commits: [] } });
  });

  it('that merges, wherever the branch stood', async () => {
    await copy.git(['checkout', '--quiet', '-b', 'side', first]);
    await copy.commit('c.txt', 'c');
    await copy.git(['merge', '--quiet', '--no-ff', '--message', 'Merge', third]);
    const pack = await copy.pack(['side', `^${third}`]);
    const { walked } = await verify(pack, { oldOid: third, newOid: await copy.head() });
    expect(walked.bases).toContain(third);
  });
});

describe('a push is sound', () => {
  let host: WorkCopy;
  let behind: string;
  beforeAll(async () => {
    host = await WorkCopy.create();
    await host.commit('.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = https://example.com/x\n');
    behind = await host.commit('.gitattributes', '*.png binary\n');
  });
  afterAll(() => host.remove());

  const pushed = async (oldOid: string) => {
    const newOid = await host.head();
    return verify(await host.pack([newOid, `^${oldOid}`]), { oldOid, newOid });
  };

  it('whose files of git the host has', async () => {
    await host.commit('a.txt', 'a');
    await expect(pushed(behind)).resolves.toMatchObject({ isEmpty: false });
  });

  it.each([
    ['.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n'],
    ['.gitmodules', '[submodule "../../x"]\n\tpath = x\n\turl = https://example.com/x\n'],
    ['.gitattributes', `${'a'.repeat(3_000)} binary\n`],
  ])('unless it brings a malformed %s', async (file, text) => {
    const before = await host.head();
    const good = (await host.git(['show', `HEAD:${file}`])).toString();
    await host.commit(file, text);
    await expect(pushed(before)).rejects.toThrow('malformed');
    await host.commit(file, good);
  });

  it('that merges without a fast-forward what the host has of another branch', async () => {
    const main = await host.commit('b.txt', 'b');
    await expect(verify(await host.pack([]), { oldOid: behind, newOid: main })).rejects.toThrow('merge with --no-ff');
    await host.git(['checkout', '--quiet', '-b', 'topic', behind]);
    await host.git(['merge', '--quiet', '--no-ff', '--message', 'Merge', main]);
    const newOid = await host.head();
    const { walked } = await verify(await host.pack([newOid, `^${main}`]), { oldOid: behind, newOid });
    expect([...walked.bases].toSorted()).toEqual([behind, main].toSorted());
  });
});

describe('a commit is read as git reads it', () => {
  const write = async (headers: readonly string[], message = '\nx\n') => {
    const tree = (await copy.git(['rev-parse', `${third}^{tree}`])).toString().trim();
    const text = [`tree ${tree}`, ...headers, ''].join('\n') + message;
    return (await copy.git(['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], text)).toString().trim();
  };
  const people = ['author A <a@example.com> 1700000000 +0000', 'committer A <a@example.com> 1700000000 +0000'];
  const needed = async (oid: string, not: string) => {
    const list = ['rev-list', '--objects', '--no-object-names', oid, `^${not}`];
    return copy.packOf((await copy.git(list)).toString().trim().split('\n'));
  };

  it('so that a parent further down proves nothing', async () => {
    for (const parents of [[], [`parent ${first}`]]) {
      const newOid = await write([...parents, ...people, `parent ${third}`]);
      const pack = await copy.packOf(
        (await copy.git(['rev-list', '--objects', '--no-object-names', newOid]))
          .toString()
          .trim()
          .split('\n')
          .filter((oid) => parents.length === 0 || oid === newOid),
      );
      await expect(verify(pack, { oldOid: third, newOid })).rejects.toThrow('malformed');
    }
  });

  it('also without a message', async () => {
    const newOid = await write([`parent ${third}`, ...people], '');
    const { walked } = await verify(await needed(newOid, third), { oldOid: third, newOid });
    expect([...walked.bases]).toEqual([third]);
  });
});

describe('a push is refused', () => {
  it.each<[string, () => Promise<Buffer> | Buffer, () => Partial<RefCommand>, RegExp]>([
    [
      'that leaves history behind',
      () => copy.pack([first]),
      () => ({ oldOid: third, newOid: first }),
      /not a fast-forward/,
    ],
    ['of an update without objects', () => copy.pack([]), () => ({}), /not a fast-forward/],
    [
      'that is thin',
      () => copy.pack([second, `^${first}`], ['--thin', '--delta-base-offset']),
      () => ({ newOid: second }),
      /thin/,
    ],
    [
      'with an object that nothing needs',
      () => copy.packOf([blob, third]),
      () => ({ oldOid: second }),
      /does not need/,
    ],
    ['without the commit', () => copy.packOf([blob]), () => ({}), /would not stand at a commit/],
    ['that points at a file', () => copy.packOf([blob]), () => ({ newOid: blob }), /would not stand/],
    ['that is no pack', () => Buffer.from('PUCK'.repeat(9)), () => ({}), /no pack/],
    [
      'whose end is missing',
      async () => (await copy.pack([third, `^${first}`])).subarray(0, -9),
      () => ({}),
      /cut off/,
    ],
    ['that ends within its header', () => Buffer.from('PACK\0\0'), () => ({}), /cut off/],
    ['of too many objects', () => packOf(3, Buffer.from('a'), 1, 100_001), () => ({}), /at most 100000 objects/],
    ['with a malformed commit', () => packOf(1, Buffer.from('tree none\n\nx')), () => ({}), /malformed|damaged/],
    ['that says another size', () => packOf(3, Buffer.alloc(1_000), 999), () => ({}), /damaged|sound/],
    [
      'with another sum',
      async () => Buffer.concat([(await copy.pack([third])).subarray(0, -20), Buffer.alloc(20)]),
      () => ({}),
      /damaged|sound/,
    ],
    [
      'with bytes behind the pack',
      async () => Buffer.concat([await copy.pack([third, `^${first}`]), Buffer.from('more')]),
      () => ({}),
      /bytes follow/,
    ],
    [
      'with bytes behind the pack that git could say itself',
      async () => Buffer.concat([await copy.pack([third, `^${first}`]), Buffer.from(`${'a'.repeat(40)}\n`)]),
      () => ({}),
      /bytes follow/,
    ],
  ])('%s', async (_, pack, command, reason) => {
    await expect(verify(await pack(), command())).rejects.toThrow(reason);
  });

  // Of more than git may have for one push; takes 4 GB of this process.
  (process.env['HOSTILE_PACKS'] ? it : it.skip)('that fills its memory', async () => {
    await expect(verify(packOf(2, Buffer.alloc(900 * 1_024 * 1_024)), {})).rejects.toThrow(/time or memory/);
  });
});

it('has its own part of the machine, and no more', async () => {
  const repository = await PrivateRepository.create();
  const { stdout } = await repository.run(['-c', 'alias.limits=!ulimit -v && ulimit -t && ulimit -c', 'limits']);
  await repository.remove();
  expect(stdout.toString()).toBe('786432\n20\n0\n');
});

const left = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('business-runner-push-'));

it('leaves nothing behind', async () => {
  // Other tests push at the same time.
  const usual = process.env['TMPDIR'];
  const own = await mkdtemp(join(tmpdir(), 'own-'));
  process.env['TMPDIR'] = own;
  try {
    await verify(await copy.pack([third, `^${first}`]), {});
    expect(await readdir(own)).toEqual([]);
  } finally {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    await rm(own, { recursive: true });
  }
});

it('leaves to the next process what it was killed over, which tells it by its age', async () => {
  const [old, young] = [await mkdtemp(PREFIX), await mkdtemp(PREFIX)];
  await utimes(old, new Date(0), new Date(0));
  await removeLeftRepositories(new Date(Date.now() - 3_600_000));
  const names = await left();
  await rm(young, { recursive: true });
  expect(names).toContain(basename(young));
  expect(names).not.toContain(basename(old));
});
