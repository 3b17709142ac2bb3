import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { useCodeHost } from '../../support/connectors/code-host.ts';
import type { Mishap } from '../../support/peers/git-host-peer.ts';

const code = useCodeHost();
/** Command lines and environments of every process that was seen while git worked through the service. */
const seen = new Set<string>();
let watching: Promise<void>;
const over = new AbortController();

beforeAll(() => {
  watching = lookAtProcesses();
});
afterAll(async () => {
  over.abort();
  await watching;
});

/** Each git once: nothing is added to how it was started. */
async function lookAtProcesses(): Promise<void> {
  const known = new Set([String(process.pid)]);
  while (!over.signal.aborted) {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && !known.has(name));
    for (const id of ids) {
      const cmdline = await readFile(`/proc/${id}/cmdline`, 'latin1').catch(() => '');
      const env = cmdline.includes('git') ? await readFile(`/proc/${id}/environ`, 'latin1').catch(() => '') : '';
      // Before it has become a git it is a copy of who starts it.
      if (!env) continue;
      known.add(id);
      seen.add(`${cmdline}\n${env}`);
    }
    await wait(50);
  }
}

/** Every text below a folder of git. */
async function filesOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile());
  return (await Promise.all(files.map((each) => readFile(join(each.parentPath, each.name), 'latin1')))).join('\n');
}

it('the token of the host and the capability stay where they belong, whatever a host does', async () => {
  const { api, host, outside } = code;
  for (const credential of [
    { kind: 'token', token: api.token },
    { kind: 'app_installation', installationId: api.installation },
  ]) {
    expect((await code.connect(credential)).status).toBe(200);
    const agent = await code.gitAgent();
    host.forget();
    const copy = await code.cloneAs(agent);
    await code.shop.commit('main', { [`${credential.kind}.txt`]: 'text' });
    await copy.git(['fetch', '--quiet'], '', agent.env);
    const tokens = new Set(host.requests.map(({ token }) => token!));
    expect([...tokens].every((token) => token.startsWith('CANARY-'))).toBe(true);

    const echo = (status: number, type: string): Mishap => ({
      kind: 'answer',
      status,
      headers: { 'content-type': type, 'set-cookie': `t=${[...tokens][0]!}`, location: 'https://second.example/' },
      body: [...tokens].join('\n'),
    });
    for (const mishap of [
      echo(401, 'text/plain'),
      echo(302, 'text/plain'),
      echo(500, 'text/html'),
      echo(200, 'application/x-git-upload-pack-advertisement'),
    ]) {
      host.mishap = () => mishap;
      const { status, stderr } = await copy.attempt(['fetch'], '', agent.env);
      expect(status).not.toBe(0);
      // The client shows why, and no more than that.
      expect(stderr).toMatch(/remote: The (code host|repository) /);
      expect(stderr).not.toContain('CANARY');
      expect(stderr).not.toContain(agent.capability);
    }
    const asked = JSON.stringify(host.requests.map(({ body: _body, ...request }) => request));
    expect(asked).not.toContain(agent.capability);
    expect(await filesOf(copy.folder)).not.toMatch(new RegExp(`CANARY|${agent.capability}`));
    const log = await readFile(join(process.env.TEST_FOLDER!, `${process.pid}.jsonl`), 'utf8');
    expect(log).not.toContain(agent.capability);
    expect([...tokens].filter((token) => log.includes(token))).toEqual([]);
    expect(log).toMatch(
      new RegExp(
        `git-upload-pack \\(fetch\\) of Acme/Shop by the integration ${code.id}: status 200, \\d+ bytes, \\d+ ms`,
      ),
    );
    // In the environment of the agent's own git alone, where it was put.
    const others = [...seen].filter((text) => !text.includes('GIT_CONFIG_VALUE_0'));
    expect(seen.size).toBeGreaterThan(others.length);
    expect(others.filter((text) => text.includes(agent.capability))).toEqual([]);
    expect([...seen].filter((text) => [...tokens].some((token) => text.includes(token)))).toEqual([]);
    expect([...seen].filter((text) => text.split('\n')[0]!.includes(agent.capability))).toEqual([]);
  }
  const published = ['github.com', 'api.github.com'].length;
  const places = new Set(outside.attempts.filter((address) => address.endsWith(':443')));
  expect(places.size).toBe(published);
});
