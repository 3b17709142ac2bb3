import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultyClient } from './client.ts';
import type { Cluster } from './cluster.ts';

const FIRST_FINDINGS = 20;

/** What a run tells at its end. */
interface Conclusion {
  readonly table: string;
  readonly findings: object;
  readonly report: object;
  /** Why it failed; none where it passed. */
  readonly reasons: readonly string[];
}

/** Runs in a folder of its own, which stays where the run failed, or is to be kept; whether it passed. */
export async function inRunFolder(
  keep: boolean,
  run: (folder: string, seconds: () => number) => Promise<Conclusion>,
): Promise<boolean> {
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  // The database may run as another account.
  chmodSync(folder, 0o755);
  let passed = false;
  try {
    const conclusion = await run(folder, () => (performance.now() - startedAt) / 1_000);
    print(conclusion);
    passed = conclusion.reasons.length === 0;
  } finally {
    if (passed && !keep) rmSync(folder, { recursive: true, force: true });
    else console.log(`Everything that was said and done is in ${folder}.`);
  }
  return passed;
}

function print({ table, findings, report, reasons }: Conclusion): void {
  console.log(`\n${table}\n`);
  for (const [kind, found] of Object.entries(findings) as [string, readonly string[]][])
    for (const each of found.slice(0, FIRST_FINDINGS)) console.log(`${kind}: ${each}`);
  console.log(JSON.stringify(report));
  if (reasons.length > 0) console.log(`The fault run failed: ${reasons.join(', ')}.`);
}

/** The answer to asking for an owner's token. */
export function askForToken(cluster: Cluster, client: FaultyClient) {
  return client.call({
    method: 'POST',
    path: '/owner-tokens',
    token: cluster.ownerToken,
    body: { name: 'fault run' },
    idempotencyKey: randomUUID(),
    intent: { op: 'other', name: 'token' },
  });
}
