import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from '../cluster.ts';

/** What the executor of a push looks at: its look ten minutes later is the fourth. */
const LOOKS = 4;
const LOOK_LIMIT_MS = 60_000;

/** An action of a push, with what it pushes. */
export interface PushRow {
  readonly id: string;
  readonly status: string;
  readonly wasSent: boolean;
  readonly errorCode: string | null;
  readonly ref: string;
  readonly oldOid: string;
  readonly newOid: string;
  /** How often the branch was read to find out what became of it. */
  readonly looks: number;
}

export function readPushes(cluster: Cluster): Promise<PushRow[]> {
  return cluster.rows<PushRow>(
    `select id, status, sent_at is not null as "wasSent", error->>'code' as "errorCode",
       arguments::jsonb->>'ref' as ref, arguments::jsonb->>'oldOid' as "oldOid", arguments::jsonb->>'newOid' as "newOid",
       settle_attempts as looks
     from action where kind = 'git_push'`,
  );
}

/** Lets ten minutes pass for the looks at ambiguous pushes, one after the other. */
export async function looked(cluster: Cluster): Promise<void> {
  const waiting = `status = 'reconciliation_required' and settle_at is not null`;
  for (let look = 1; look <= LOOKS; look += 1) {
    await cluster.rows(
      `update action set settle_at = clock_timestamp() where ${waiting} and settle_attempts < ${look}`,
    );
    const deadline = performance.now() + LOOK_LIMIT_MS;
    for (;;) {
      const [row] = await cluster.rows<{ count: number }>(
        `select count(*)::int as count from action where ${waiting} and settle_attempts < ${look}`,
      );
      if (row!.count === 0 || performance.now() > deadline) break;
      await wait(200);
    }
  }
  // The last ones are noted before they are answered.
  await wait(3_000);
}
