import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { company } from '../../support/client.ts';
import { ServiceProcess } from '../../support/processes/service-process.ts';
import { until } from '../../support/until.ts';

const KILLS = 4;
const DIE_OVER_TOKEN = fileURLToPath(new URL('../../support/processes/die-over-token.mjs', import.meta.url));
/** Calls that are under way at any time. */
const AT_ONCE = 3;

describe('the service with its own database', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = join(mkdtempSync(join(tmpdir(), 'embedded-restart-')), 'data');
  });
  afterEach(async () => {
    await ServiceProcess.killAll();
    await until('its PostgreSQL is gone', () => !isAlive(serverPid()), 10_000);
    rmSync(join(dataDir, '..'), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  it('keeps every acknowledged organization and its tokens, wherever it is killed', async () => {
    const acknowledged = new Map<string, string>();
    let token = '';
    let personal = '';
    let unanswered: { key: string; details: object }[] = [];

    for (let round = 0; round <= KILLS; round += 1) {
      const service = await ServiceProcess.start({ env: { DATA_DIR: dataDir } });
      // On loopback its metrics are open to everybody.
      expect((await fetch(`${service.baseUrl}/metrics`)).status).toBe(200);
      const found = readFileSync(join(dataDir, 'owner-token'), 'utf8').trim();
      token ||= found;
      expect(found).toBe(token);
      personal ||= (await service.call('POST', '/owner-tokens', token, { name: 'client' })).body.data.token;
      expect((await service.call('GET', '/owner-tokens', personal)).status).toBe(200);
      for (const [id, slug] of acknowledged) {
        const { status, body } = await service.call('GET', `/organizations/${id}`, token);
        expect([status, body.data?.slug]).toEqual([200, slug]);
      }
      // What got no answer is repeated with its key: done once, whether or not it had been done.
      for (const { key, details } of unanswered) await create(service, key, details);
      unanswered = [];
      const { body } = await service.call('GET', '/organizations?limit=200', token);
      expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual([...acknowledged.keys()].sort());
      if (round === KILLS) break;

      const before = acknowledged.size;
      const kill = new AbortController();
      const stream = Array.from({ length: AT_ONCE }, async () => {
        while (!kill.signal.aborted) {
          const [key, details] = [randomUUID(), company()];
          await create(service, key, details).catch(() => unanswered.push({ key, details }));
        }
      });
      await until('some are acknowledged', () => acknowledged.size >= before + AT_ONCE, 10_000);
      await wait(Math.random() * 100);
      const server = serverPid();
      kill.abort();
      // Every other time its PostgreSQL goes with it.
      if (round % 2 === 1) process.kill(server!, 'SIGKILL');
      await service.kill();
      await Promise.all(stream);
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(KILLS * AT_ONCE);

    async function create(service: ServiceProcess, key: string, details: object): Promise<void> {
      const answer = await service.call('POST', '/organizations', token, details, { 'idempotency-key': key });
      if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
      const { id, slug } = answer.body.data.organization;
      acknowledged.set(id, slug);
    }
  }, 120_000);

  it.each([
    ['owner-token', /^[\w-]{43}\n$/],
    ['capability-key', /^[\w-]{8}:[\w-]{43}\n$/],
  ])('has a whole %s after its first start was killed over making it', async (name, form) => {
    const env = { DATA_DIR: dataDir };
    const killed = ServiceProcess.launch({ env: { ...env, DIE_OVER: name }, preload: DIE_OVER_TOKEN });
    expect(await killed.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(readdirSync(dataDir)).toContainEqual(expect.stringMatching(new RegExp(`^${name}\\.\\d+$`)));
    expect(readdirSync(dataDir)).not.toContain(name);

    const service = await ServiceProcess.start({ env });
    const text = readFileSync(join(dataDir, name), 'utf8');
    expect(text).toMatch(form);
    expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    // Tokens are shown once; a key is nobody's business.
    expect(service.log.includes(text.trim().split(':').at(-1)!)).toBe(name === 'owner-token');
    const token = readFileSync(join(dataDir, 'owner-token'), 'utf8').trim();
    expect((await service.call('GET', '/owner-tokens', token)).status).toBe(200);
  });

  /** Of the PostgreSQL that wrote its file; undefined once it has removed that, which it does last. */
  function serverPid(): number | undefined {
    try {
      return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
    } catch {
      return undefined;
    }
  }
});

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
