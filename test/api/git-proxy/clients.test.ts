import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GitAgent, useCodeHost } from '../../support/connectors/code-host.ts';
import { type ClientCommand, GIT_CLIENTS } from '../../support/git/clients.ts';
import { runGit } from '../../support/git/work-copy.ts';

const found = await Promise.all(GIT_CLIENTS.map(({ version }) => version()));
const missing = GIT_CLIENTS.filter((_, each) => found[each] === undefined).map(({ name }) => name);
if (missing.length > 0) process.stderr.write(`Not on this machine, and so not tried: ${missing.join('; ')}.\n`);

const place = useCodeHost();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'git-clients-'));
  await place.shop.commit('main', { 'notes.txt': 'one\n' });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(GIT_CLIENTS)('$name', ({ name, lacks, run }) => {
  const tried = missing.includes(name) ? it.skip : it;
  const copy = () => join(folder, name);
  let agent: GitAgent;
  const runs = (command: ClientCommand, given: object = {}) =>
    run(command, {
      base: place.base,
      capability: agent.capability,
      address: agent.addressOf('Acme/Shop'),
      folder: copy(),
      ...given,
    });
  const git = async (args: readonly string[], at = copy()) => (await runGit(at, args)).toString().trim();

  beforeAll(async () => {
    agent = await place.gitAgent();
  });

  tried('clones', async () => {
    expect(await runs('clone')).toMatchObject({ ok: true });
    expect(await git(['rev-parse', 'HEAD'])).toBe(await place.shop.branch('main'));
    expect(await git(['status', '--porcelain'])).toBe('');
    await git(['fsck']);
  });

  (lacks.includes('shallow') ? it.skip : tried)('clones the newest commit alone', async () => {
    const shallow = `${copy()}, shallow`;
    expect(await runs('shallow', { folder: shallow })).toMatchObject({ ok: true });
    expect(await git(['rev-list', '--count', 'HEAD'], shallow)).toBe('1');
    expect(existsSync(join(shallow, '.git', 'shallow'))).toBe(true);
  });

  tried('fetches what is new', async () => {
    const oid = await place.shop.commit('main', { 'notes.txt': `${name}\n`, data: randomBytes(100_000) });
    expect(await runs('fetch')).toMatchObject({ ok: true });
    expect(await git(['rev-parse', 'refs/remotes/origin/main'])).toBe(oid);
  });

  tried('is refused without a capability that holds', async () => {
    const { ok, said } = await runs('fetch', { capability: 'nonsense' });
    expect([ok, said]).toEqual([false, expect.stringMatching(/401|[Aa]uth|credential|Username/)]);
  });
});
