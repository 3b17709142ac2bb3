import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '../../src/embedded/index.ts';
import { rollingRestart } from './rolling-restart.ts';

const FIRST_FINDINGS = 10;

/** `npm run faults -- --rolling`: a rolling restart under load; returns whether nothing was lost or doubled. */
export async function rolling(lifecycles: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'rolling-'));
  // The database may run as another account.
  chmodSync(folder, 0o755);
  const database = await startEmbeddedServer({ dataDir: join(folder, 'data') });
  let passed = false;
  try {
    const slots = Math.ceil(lifecycles / 20);
    const { traffic, lost, doubled, stuck, wrong, ...counts } = await rollingRestart({
      databaseUrl: database.url,
      folder,
      lifecycles,
      restartsOfEach: 2,
      organizations: 4,
      workers: 16,
      slots,
      slotsWithinMs: 500 * slots,
    });
    const found = { lost, doubled, stuck, wrong, serverErrors: traffic.serverErrors, unanswered: traffic.unanswered };
    for (const [kind, each] of Object.entries(found))
      for (const one of each.slice(0, FIRST_FINDINGS)) console.log(`${kind}: ${one}`);
    const numbers = Object.fromEntries(Object.entries(found).map(([kind, each]) => [kind, each.length]));
    const { calls, refused, closedIdle } = traffic;
    console.log(JSON.stringify({ ...counts, calls, refused, closedIdle, ...numbers }, null, 2));
    passed = Object.values(numbers).every((count) => count === 0);
    if (!passed) console.log(`Everything that was said and done is in ${folder}.`);
    return passed;
  } finally {
    await database.stop();
    if (passed) rmSync(folder, { recursive: true, force: true });
  }
}
