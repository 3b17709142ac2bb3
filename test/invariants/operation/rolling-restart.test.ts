import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { rollingRestart } from '../../../faults/rolling/rolling-restart.ts';
import { freshDatabase } from '../../support/database/test-database.ts';

const LIFECYCLES = 60;
const SLOTS = 8;
const RESTARTS_OF_EACH = 2;

describe('three replicas that are restarted one after the other under load', () => {
  it(`lose and double nothing in ${LIFECYCLES} lifecycles, and answer no 5xx`, async () => {
    const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'rolling-'));
    chmodSync(folder, 0o755);
    const { traffic, ...report } = await rollingRestart({
      databaseUrl: await freshDatabase('migrated'),
      folder,
      lifecycles: LIFECYCLES,
      restartsOfEach: RESTARTS_OF_EACH,
      organizations: 2,
      // Few, so that the test takes little of the machine from others.
      workers: 3,
      slots: SLOTS,
      slotsWithinMs: 6_000,
    });
    expect(report).toMatchObject({ lost: [], doubled: [], stuck: [], wrong: [], slots: SLOTS });
    expect([traffic.serverErrors, traffic.unanswered]).toEqual([[], []]);
    expect(report.lifecycles).toBeGreaterThanOrEqual(LIFECYCLES);
    expect(report.restarts).toBeGreaterThanOrEqual(3 * RESTARTS_OF_EACH);
    // Otherwise the restarts would have been noticed by nobody.
    expect(traffic.refused).toBeGreaterThan(0);
    expect(report.answers).toBeGreaterThan(0);
    expect(report.reconnects).toBeGreaterThan(0);
  }, 300_000);
});
