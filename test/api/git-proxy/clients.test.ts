import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GitAgent, useCodeHost } from '../../support/connectors/code-host.ts';
import { type ClientCommand, GIT_CLIENTS } from '../../support/git/clients.ts';
import { runGit } from '../../support/git/work-copy.ts';

const found = await Promise.all(GIT_CLIENTS.map(({ version }) => version()));
const missing = GIT_CLIENTS.filter((_, each) => found[each] === undefined).map(({ name }) => name);
if (missing.length > 0) process.stderr.write(`Not on this machine, and so not tried: ${missing.join('; ')}.\n`);

/** The environment asks for larger ones. */
const SIZES = (process.env.GIT_PUSH_BYTES ?? '1000,3000000').split(',').map(Number);
const WRITES = 'git-receive-pack';
const place = useCodeHost();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'git-clients-'));
  await place.shop.commit('main', { 'notes.txt': 'one\n' });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const said = async (at: string, args: readonly string[]) => (await runGit(at, args)).toString().trim();
const branchOf = (name: string, of: number | string) => `${name.replaceAll(/\W+/g, '-')}-${of}`;
/** A new branch with a commit of so many bytes that no packing makes fewer. */
const committed = async (name: string, branch: string, bytes: number) => {
  const copy = join(folder, name);
  await said(copy, ['checkout', '--quiet', '--no-track', '-b', branch, 'origin/main']);
  await writeFile(join(copy, 'data'), randomBytes(bytes));
  await said(copy, ['add', '--all']);
  await said(copy, ['commit', '--quiet', '--message', `Add ${bytes} bytes`]);
  return said(copy, ['rev-parse', 'HEAD']);
};

describe.each(GIT_CLIENTS)('$name', ({ name, lacks, hidesRefusals, run }) => {
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
  const git = (args: readonly string[], at = copy()) => said(at, args);

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

  tried.each(SIZES)('is told that a push of %i bytes waits for a person', async (bytes) => {
    const branch = branchOf(name, bytes);
    const oid = await committed(name, branch, bytes);
    const told = await runs('push', { branch });
    expect([told.ok, told.said]).toEqual([hidesRefusals, expect.stringMatching(/approval required: action A-\w{6}/)]);
    const values = [place.place.organizationId, `refs/heads/${branch}`];
    const { rows } = await place.app.db.query(
      'select action_id as id from git_push where organization_id = $1 and ref = $2',
      values,
    );
    const { body } = await place.place.owner.get(place.place.path(`/actions/${rows[0].id}`));
    expect(told.said).toContain(body.data.reference);
    expect(body.data).toMatchObject({
      status: 'awaiting_approval',
      arguments: { repository: 'Acme/Shop', ref: `refs/heads/${branch}`, newOid: oid },
    });
    expect(body.data.arguments.packBytes).toBeGreaterThan(bytes);
    expect(place.host.requests.some(({ method, service }) => method === 'POST' && service === WRITES)).toBe(false);
  });

  tried('is refused without a capability that holds', async () => {
    const told = await runs('fetch', { capability: 'nonsense' });
    expect([told.ok, told.said]).toEqual([false, expect.stringMatching(/401|[Aa]uth|credential|Username/)]);
  });
});

describe('where nobody has to approve', () => {
  beforeAll(async () => {
    const { app, organizationId } = place.place;
    await app.db.query(`update organization set approval_required_for_risk = '{}' where id = $1`, [organizationId]);
    expect((await place.place.owner.put(place.at('/tools'), { accessMode: 'autonomous' })).status).toBe(200);
  });

  describe.each(GIT_CLIENTS)('$name', ({ name, run }) => {
    const tried = missing.includes(name) ? it.skip : it;
    tried('hears that its push is done', async () => {
      const agent = await place.gitAgent();
      const branch = branchOf(name, 'at-once');
      const oid = await committed(name, branch, 1_000);
      const request = {
        base: place.base,
        capability: agent.capability,
        address: agent.addressOf('Acme/Shop'),
        folder: join(folder, name),
        branch,
      };
      expect(await run('push', request)).toMatchObject({ ok: true });
      expect(await place.shop.branch(branch)).toBe(oid);
    });
  });
});
