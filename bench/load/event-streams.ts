import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { quantile } from '../stats.ts';
import { closedLoop } from './closed-loop.ts';
import { HttpClient } from './http-client.ts';
import type { Job, LoadResult, StepResult } from './job.ts';
import { StreamClients, stamped } from './stream-clients.ts';

const PART = 'p1';
/** How long the last frames may take to arrive. */
const ARRIVAL_LIMIT_MS = 5_000;
const clients = new StreamClients();
/** Characters that the answer of each turn has. */
const lengths = new Map<string, number>();

/** Opens, stalls or closes the streams of this process. */
export async function streams(job: Extract<Job, { kind: 'streams' }>): Promise<LoadResult> {
  const { target, paths, token } = job;
  const startedAt = performance.now();
  switch (job.action) {
    case 'open':
      return result(startedAt, { open: step(await clients.open(target, paths, token)) }, clients.count);
    case 'stall':
      clients.stall();
      break;
    case 'come back':
      await clients.comeBack(target, paths[0]!, token);
      break;
    case 'close':
      await clients.close();
  }
  return result(startedAt, {}, clients.count);
}

/** Appends through the service, in turn to each answer; timed until it is answered, and until it is on a stream. */
export async function appends(job: Extract<Job, { kind: 'appends' }>): Promise<LoadResult> {
  const { target, token, leaseToken, turns, characters, workers, seconds, perSecond } = job;
  const client = HttpClient.of(target, token, workers);
  const delivered = listen();
  const free = [...turns];
  const load = await closedLoop({
    workers: Math.min(workers, turns.length),
    seconds,
    ...(perSecond === undefined ? {} : { perSecond }),
    async operate(_index, timer) {
      // One worker a turn at a time: its appends follow each other.
      const turn = free.shift()!;
      const { organizationId, turnId } = turn;
      const offset = lengths.get(turnId) ?? 0;
      const text = stamped(performance.now(), characters);
      const body = { organizationId, leaseToken, partId: PART, offset, text };
      try {
        await timer('append', () => client.post(`/internal/chat-turns/${turnId}/append`, body));
        lengths.set(turnId, offset + text.length);
      } finally {
        free.push(turn);
      }
      return true;
    },
  });
  const wanted = clients.count > 0 ? load.total : 0;
  return { ...load, steps: { ...load.steps, delivery: step(await delivered(wanted)) } };
}

const APPEND = `
  with moved as (
    update message set revision = revision + 1, text_bytes = text_bytes + octet_length($3)
    where organization_id = $1 and id = $2 returning chat_id, revision),
  chunk as (
    insert into message_chunk (organization_id, message_id, draft, part_id, part_offset, revision, text)
    select $1, $2, 1, '${PART}', $4, revision, $3 from moved)
  select pg_notify('business_runner', json_build_object('v', 1, 'from', 'bench', 'topic', 'chat.message', 'payload',
    json_build_object('org', $1::uuid, 'chat', chat_id, 'message', $2::uuid, 'revision', revision, 'partId', '${PART}', 'offset', $4::int, 'text', $3::text))::text)
  from moved`;

/**
 * Appends as another process would, with a notification to all listeners; timed from before the statement to each open
 * stream.
 */
export async function notifications(job: Extract<Job, { kind: 'notifications' }>): Promise<LoadResult> {
  const { database, turn, count, perSecond, characters } = job;
  const { organizationId, turnId } = turn;
  const pool = new pg.Pool({ connectionString: database, max: 1 });
  await pool.query('select');
  const delivered = listen();
  const startCpu = process.cpuUsage();
  const startedAt = performance.now();
  try {
    for (let index = 0; index < count; index += 1) {
      await wait(Math.max(0, startedAt + (index * 1_000) / perSecond - performance.now()));
      const offset = lengths.get(turnId) ?? 0;
      const text = stamped(performance.now(), characters);
      await pool.query({ name: 'append', text: APPEND, values: [organizationId, turnId, text, offset] });
      lengths.set(turnId, offset + text.length);
    }
    const times = await delivered(job.awaited ? count * clients.count : 0);
    const cpu = process.cpuUsage(startCpu);
    return result(startedAt, { delivery: step(times) }, times.length, (cpu.user + cpu.system) / 1_000);
  } finally {
    await pool.end();
  }
}

/** Collects times from now on; the returned function waits until `wanted` have arrived. */
function listen(): (wanted: number) => Promise<number[]> {
  const times: number[] = [];
  clients.onHeard((sentMs) => times.push(performance.now() - sentMs));
  return async (wanted) => {
    const deadline = performance.now() + ARRIVAL_LIMIT_MS;
    while (times.length < wanted && performance.now() < deadline) await wait(5);
    if (times.length < wanted) throw new Error(`Of ${wanted} frames ${times.length} came.`);
    return times;
  };
}

function step(times: readonly number[]): StepResult {
  return { count: times.length, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

function result(startedAt: number, steps: LoadResult['steps'], operations: number, cpuMs = 0): LoadResult {
  const seconds = (performance.now() - startedAt) / 1_000;
  return { operations, seconds, failures: 0, firstFailure: undefined, steps, cpuMs, total: operations };
}
