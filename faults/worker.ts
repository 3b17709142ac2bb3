import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Claim, Attempt, type Runtime } from './attempt.ts';
import { FaultyClient, GaveUp } from './client.ts';
import { History } from './history.ts';
import { Random } from './random.ts';

/**
 * A runtime of the fault run: does what a good runtime does, and sometimes what a bad one would. It is killed and
 * paused from outside, so at its start it recovers the work of its previous process.
 */
const { env } = process;
const workerId = env.WORKER_ID!;
const bootId = randomUUID();
// Each process of a worker makes its own random decisions.
const random = new Random(`${env.SEED} ${workerId} ${env.LIFE}`);
const history = new History(env.HISTORY!, `${workerId}.${env.LIFE}`);
const client = new FaultyClient(env.BASES!.split(','), history, random);
const token = env.AGENT_SERVICE_TOKEN!;
const runtime: Runtime = { client, token, workerId, bootId, random };

process.on('message', () => (client.calm = true));
process.on('disconnect', () => process.exit(0));

async function recover(): Promise<void> {
  const { body } = await client.call({
    method: 'POST',
    path: `/internal/workers/${workerId}/recover`,
    token,
    body: { bootId },
    intent: { op: 'other', name: 'recover' },
  });
  const { retryAfterMs } = body.data as { retryAfterMs: number | null };
  if (retryAfterMs === null) return;
  await wait(retryAfterMs);
  await recover();
}

async function claim(): Promise<Claim[]> {
  const waitSeconds = random.pick([0, 1, 2]);
  const heard = await client.call({
    method: 'POST',
    path: '/internal/run-requests/claim',
    token,
    body: {
      workerId,
      bootId,
      requestKey: randomUUID(),
      limit: random.chance(0.2) ? 2 : 1,
      // What the backend orders itself, such as discovery, is no part of the history.
      executionClasses: ['standard'],
      waitSeconds,
      ...(random.chance(0.2)
        ? {
            profileKeys: random.pick([
              ['operator', 'growth'],
              ['engineering', 'support'],
            ]),
          }
        : {}),
    },
    intent: { op: 'other', name: 'claim' },
    waitMs: waitSeconds * 1_000,
  });
  return heard.status === 200 ? (heard.body.data as Claim[]) : [];
}

function unlessGivenUp(error: unknown): void {
  if (!(error instanceof GaveUp)) throw error;
}

void recover().catch(unlessGivenUp);
for (;;) {
  const claims = await claim().catch((error: unknown) => {
    unlessGivenUp(error);
    return [];
  });
  if (claims.length === 0) await wait(random.between(50, 300));
  await Promise.all(claims.map((each) => new Attempt(runtime, each).take().catch(unlessGivenUp)));
}
