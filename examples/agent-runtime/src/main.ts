import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Api, type Claim, Refused, type Turn } from './api.ts';
import { answerTurn } from './chat/turn.ts';
import { Outage } from './outage.ts';
import { AGENTS, run, type Settings } from './run.ts';

const POLL_SECONDS = 20;
const AFTER_REFUSAL_MS = 500;
const RELEASE_LIMIT_MS = 5_000;

const { env } = process;
/** Whether this process starts only after the one before it has ended, as under a supervisor. */
const alone = env.WORKER_ALONE === 'true';
const settings: Settings = {
  workerId: env.WORKER_ID ?? `example-${hostname()}`,
  bootId: randomUUID(),
  workspaceDir: resolve(env.WORKSPACE_DIR ?? '.'),
  companyDir: env.COMPANY_DIR,
  paceMs: Number(env.PACE_MS ?? 0),
};
const baseUrl = env.BUSINESS_RUNNER_URL ?? 'http://127.0.0.1:3000';
if (!URL.canParse(baseUrl)) quit(`BUSINESS_RUNNER_URL is no URL: ${baseUrl}`);
if (!env.AGENT_SERVICE_TOKEN)
  quit('AGENT_SERVICE_TOKEN is not set; the service takes those of its AGENT_SERVICE_TOKENS');
const api = new Api(baseUrl, env.AGENT_SERVICE_TOKEN, new Outage(baseUrl, console.log));

const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort());

/**
 * Gives back the work that an earlier process of this worker held; work that is too recent to decide, as soon as it
 * may.
 */
async function recover(): Promise<void> {
  const { workerId, bootId } = settings;
  const { runs, claims, turns, retryAfterMs } = await api.call('post', '/internal/workers/{workerId}/recover', {
    path: { workerId },
    body: { bootId, alone },
    signal: stopping.signal,
  });
  const counts = [`${runs.length} runs`, `${claims.length} claims`, `${turns.length} chat turns`];
  if (runs.length + claims.length + turns.length > 0) console.log(`gave back ${counts.join(', ')}`);
  if (retryAfterMs === null) return;
  void wait(retryAfterMs, undefined, { signal: stopping.signal, ref: false }).then(recover).catch(giveUp);
}

/** Made once per call, so that a repeat after a lost answer gets the same items. */
const pull = (limit: number) => ({
  workerId: settings.workerId,
  bootId: settings.bootId,
  requestKey: randomUUID(),
  limit,
  waitSeconds: POLL_SECONDS,
});

const claimRuns = (limit: number): Promise<Claim[]> =>
  api.call('post', '/internal/run-requests/claim', {
    body: { ...pull(limit), profileKeys: Object.keys(AGENTS) },
    signal: stopping.signal,
  });

const claimTurns = (limit: number): Promise<Turn[]> =>
  api.call('post', '/internal/chat-turns/claim', { body: pull(limit), signal: stopping.signal });

/** Gives a claim back for other workers if its start is refused (no capacity, dispatch stopped). */
async function take(claim: Claim): Promise<void> {
  try {
    await run(api, claim, settings, stopping.signal);
  } catch (error) {
    if (!(error instanceof Refused)) return onError(error);
    console.log(`start refused: ${error.message}`);
    const { organizationId, leaseToken, runRequestId } = claim;
    await wait(AFTER_REFUSAL_MS);
    await api
      .call('post', '/internal/run-requests/{runRequestId}/release', {
        path: { runRequestId },
        body: { organizationId, leaseToken },
        signal: AbortSignal.timeout(RELEASE_LIMIT_MS),
      })
      .catch(() => undefined);
  }
}

function onError(error: unknown): void {
  if (!stopping.signal.aborted) console.error(error);
}

/** Ends the runtime over a refusal that no repeat would change: of its token, or by a server that is another one. */
function giveUp(error: unknown): void {
  if (stopping.signal.aborted) return;
  if (!(error instanceof Refused)) throw error;
  if (error.status === 401)
    quit(`AGENT_SERVICE_TOKEN is none of the AGENT_SERVICE_TOKENS of ${baseUrl}: ${error.message}`);
  quit(`${baseUrl} refuses this runtime; is BUSINESS_RUNNER_URL right? ${error.message}`);
}

function quit(reason: string): never {
  console.error(reason);
  process.exit(1);
}

/** Claims by long poll and works on up to `atOnce` items until the runtime stops; then waits for them to end. */
async function loop<T>(atOnce: number, claim: (limit: number) => Promise<T[]>, work: (item: T) => Promise<void>) {
  const running = new Set<Promise<void>>();
  try {
    while (!stopping.signal.aborted) {
      if (running.size >= atOnce) await Promise.race(running);
      for (const item of await claim(atOnce - running.size)) {
        const each: Promise<void> = work(item).finally(() => running.delete(each));
        running.add(each);
      }
    }
  } catch (error) {
    giveUp(error);
  }
  await Promise.all(running);
}

console.log(`${settings.workerId} works at ${baseUrl}`);
await recover().catch(giveUp);
// Separate loops, so that answers for people do not wait for long runs.
await Promise.all([
  loop(Number(env.RUNS_AT_ONCE ?? 4), claimRuns, take),
  loop(Number(env.TURNS_AT_ONCE ?? 4), claimTurns, (turn) => answerTurn(api, turn, settings, stopping.signal)),
]);
process.exit(0);
