import { randomUUID } from 'node:crypto';
import { commitMs, withClient, wakeupResult } from '../baselines/graphile.ts';
import { HttpClient } from './http-client.ts';
import type { Job, LoadResult } from './job.ts';

const WAITING = 4;
const WAIT_SECONDS = 20;

interface Claimed {
  readonly runRequestId: string;
}

/** From the commit of a request, by the database's clock, to the answer of a claim that waits for it, one after the other. */
export async function claimWakeups(job: Extract<Job, { kind: 'wakeups' }>): Promise<LoadResult> {
  const { target, token, ownerToken, organizationId, profileKey, database, count } = job;
  const worker = new HttpClient(target, token, WAITING);
  const owner = new HttpClient(target, ownerToken, 1);
  const answers: { readonly id: string; readonly at: number }[] = [];
  const ended = new AbortController();
  let woken: () => void = () => undefined;
  const waiting = async () => {
    while (!ended.signal.aborted) {
      const body = {
        workerId: 'bench',
        bootId: randomUUID(),
        organizationIds: [organizationId],
        // The backend's own tasks, such as discovery, would wake it too.
        executionClasses: ['standard'],
        waitSeconds: WAIT_SECONDS,
      };
      const text = await worker.post('/internal/run-requests/claim', body).catch(() => '{"data":[]}');
      const at = performance.timeOrigin + performance.now();
      const [claimed] = (JSON.parse(text) as { data: Claimed[] }).data;
      if (!claimed) continue;
      answers.push({ id: claimed.runRequestId, at });
      woken();
    }
  };
  const waiters = Array.from({ length: WAITING }, waiting);
  const startedAt = performance.now();
  try {
    for (let index = 0; index < count; index += 1) {
      const answered = new Promise<void>((resolve) => (woken = resolve));
      await owner.post(`/organizations/${organizationId}/tasks`, {
        title: `Wake somebody up ${index}`,
        ownerAgentProfileKey: profileKey,
        phase: 'execute',
        spec: { objective: 'Measure it.' },
      });
      await answered;
    }
  } finally {
    ended.abort();
    await Promise.all([worker.close(), owner.close()]);
    await Promise.all(waiters);
  }
  // The task is of the same transaction as its request, and the claim does not write it.
  const committed = await withClient(database, async (client) => {
    const { rows } = await client.query<{ id: string; at: number }>(
      `select r.id, ${commitMs('t.xmin')} as at
       from run_request r join task t on t.organization_id = r.organization_id and t.id = r.task_id
       where r.organization_id = $1 and r.id = any($2)`,
      [organizationId, answers.map(({ id }) => id)],
    );
    return new Map(rows.map(({ id, at }) => [id, at]));
  });
  return wakeupResult(
    answers.map(({ id, at }) => at - committed.get(id)!),
    startedAt,
  );
}
