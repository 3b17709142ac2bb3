import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gitSettings } from '../../test/support/git/git-settings.ts';
import { runGit } from '../../test/support/git/work-copy.ts';
import { OWNER_TOKEN, SERVICE_TOKEN, startDatabase, startService } from '../service.ts';
import { StreamingGitHost } from './git-host.ts';

const MIB = 1_024 * 1_024;
const TICKS_PER_SECOND = 100;
const LARGE = 'Bench/Large';
const BRANCHY = 'Bench/Branchy';

interface Wanted {
  readonly megabytes: number;
  readonly refs: number;
  readonly rounds: number;
}

/**
 * `npm run bench -- --git`: a fetch, and a discovery of many refs, by git through the service, each compared in turns with
 * the same without it, and the memory that the service takes meanwhile.
 */
export async function gitTransfers({ megabytes, refs, rounds }: Wanted): Promise<void> {
  const database = await startDatabase();
  const host = await StreamingGitHost.start(database.folder);
  const service = await startService(database, { ...host.env, NODE_OPTIONS: '--import ./faults/api-preload.ts' });
  try {
    await host.large(LARGE, megabytes * MIB);
    await host.branchy(BRANCHY, refs);
    const agent = await capabilityAt(service.baseUrl, host.token);
    const through = (name: string) => `${service.baseUrl}/internal/git/integrations/${agent.integrationId}/${name}.git`;
    const throughEnv = gitSettings(service.baseUrl, agent.capability);
    const direct = (name: string) => `https://x-access-token:${host.token}@github.com/${name}.git`;
    const directEnv = { https_proxy: host.env['EGRESS_PROXY']!, GIT_SSL_CAINFO: host.env['NODE_EXTRA_CA_CERTS']! };
    const into = join(database.folder, 'copy.git');
    const clone = (address: string, env: Readonly<Record<string, string>>) => async () => {
      await runGit(database.folder, ['clone', '--quiet', '--bare', address, into], '', env);
      rmSync(into, { recursive: true });
    };
    const list = (address: string, env: Readonly<Record<string, string>>) => async () => {
      await runGit(database.folder, ['-c', 'protocol.version=0', 'ls-remote', '--quiet', address], '', env);
    };
    const push = (address: string, env: Readonly<Record<string, string>>) => async () => {
      await runGit(
        join(database.folder, 'repositories', `${BRANCHY.toLowerCase()}.git`),
        ['push', '--dry-run', '--quiet', address, 'main'],
        '',
        env,
      );
    };
    const before = residentBytes(service.pid);
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, residentBytes(service.pid))), 50);
    const pairs = {
      [`fetch of ${megabytes} MiB`]: [clone(direct(LARGE), directEnv), clone(through(LARGE), throughEnv)],
      [`discovery of ${refs} refs`]: [list(direct(BRANCHY), directEnv), list(through(BRANCHY), throughEnv)],
      [`discovery of ${refs} refs to push`]: [push(direct(BRANCHY), directEnv), push(through(BRANCHY), throughEnv)],
    } as const;
    for (const [what, [without, withIt]] of Object.entries(pairs)) {
      const times: [number, number][] = [];
      const usedBefore = cpuSeconds(service.pid);
      for (let round = 0; round < rounds; round += 1) times.push([await timed(without), await timed(withIt)]);
      const [a, b] = [median(times.map(([time]) => time)), median(times.map(([, time]) => time))];
      const ratio = median(times.map(([one, other]) => other / one));
      console.log(
        `${what}: ${a.toFixed(0)} ms without the service, ${b.toFixed(0)} ms through it, ${ratio.toFixed(2)} times`,
      );
      const used = (cpuSeconds(service.pid) - usedBefore) / rounds;
      // The same on a machine that does other things besides.
      console.log(
        `  the service: ${used.toFixed(2)} s of CPU, ${((most - before) / MIB).toFixed(0)} MiB of memory at most`,
      );
    }
    clearInterval(watch);
  } finally {
    await service.stop();
    host.stop();
    await database.stop();
  }
}

/** Of the first time that it comes to something: the proxy on the way refuses a connection now and then. */
async function timed(work: () => Promise<void>): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const began = performance.now();
    try {
      await work();
      return performance.now() - began;
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
}

function cpuSeconds(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

/** A run of engineering at the code host of a new organization. */
async function capabilityAt(base: string, token: string) {
  const call = async (method: string, path: string, bearer: string, body: object) => {
    const headers = {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    };
    const answer = await fetch(`${base}${path}`, { method, headers, body: JSON.stringify(body) });
    const { data, error } = (await answer.json()) as { data: never; error?: { message: string } };
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${error?.message}`);
    return data as Record<string, never> & { readonly id: string };
  };
  const { token: owner } = (await call('POST', '/owner-tokens', OWNER_TOKEN, { name: 'bench' })) as unknown as {
    token: string;
  };
  const facts = { name: 'Bench', website: 'https://bench.example', timezone: 'UTC', defaultCurrency: 'EUR' };
  const made = (await call('POST', '/organizations', owner, facts)) as unknown as { organization: { id: string } };
  const organizationId = made.organization.id;
  const at = `/organizations/${organizationId}`;
  await call('PUT', `${at}/integrations/code-host/profiles`, owner, {
    profileGrants: ['engineering'],
    readOnlyProfileKeys: [],
  });
  await call('PUT', `${at}/integrations/code-host/credential`, owner, { kind: 'token', token });
  await call('POST', `${at}/tasks`, owner, {
    title: 'Fetch',
    spec: { objective: 'Fetch' },
    ownerAgentProfileKey: 'engineering',
  });
  const worker = { workerId: 'bench', bootId: randomUUID() };
  const wanted = { ...worker, requestKey: randomUUID(), executionClasses: ['standard'], waitSeconds: 10 };
  const [claim] = (await call('POST', '/internal/run-requests/claim', SERVICE_TOKEN, wanted)) as unknown as {
    runRequestId: string;
    leaseToken: string;
  }[];
  const fence = { organizationId, leaseToken: claim!.leaseToken };
  const runId = randomUUID();
  const start = { ...fence, ...worker, runId };
  const { executionToken } = (await call(
    'POST',
    `/internal/run-requests/${claim!.runRequestId}/start`,
    SERVICE_TOKEN,
    start,
  )) as unknown as { executionToken: string };
  const place = { harness: 'bench', model: 'none', workspaceUri: 'workspace://bench' };
  await call('POST', `/internal/runs/${runId}/running`, SERVICE_TOKEN, { ...fence, ...place });
  const beat = setInterval(
    () => void call('POST', `/internal/runs/${runId}/heartbeat`, SERVICE_TOKEN, fence).catch(() => undefined),
    10_000,
  );
  beat.unref();
  const agentPath = `/internal/agent/organizations/${organizationId}`;
  const headers = { authorization: `Bearer ${executionToken}` };
  const manifest = (await (await fetch(`${base}${agentPath}/execution`, { headers })).json()) as {
    data: { organization: { authorizationEpoch: number } };
  };
  const { authorizationEpoch } = manifest.data.organization;
  const given = (await call('POST', `${agentPath}/integrations/code-host/capability`, executionToken, {
    authorizationEpoch,
  })) as unknown as { integrationGatewayCapability: string; integrationId: string };
  return { capability: given.integrationGatewayCapability, integrationId: given.integrationId };
}
