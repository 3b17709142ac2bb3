import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Config, readSettings } from '../../../src/config/index.ts';
import { Metrics } from '../../../src/kernel/metrics/index.ts';
import { Tracing } from '../../../src/kernel/tracing/index.ts';
import { workerDatabase } from '../../support/database/test-database.ts';
import { Collector } from '../../support/peers/collector.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

const CALLS = 40;
/** Waiting and in flight, as `span-delivery.ts` has them. */
const MOST_KEPT = 2_048 + 512;
/** For the last export 1 s, and for a busy machine the rest. */
const STOP_LIMIT_MS = 4_000;
/** Spans are sent every 2 s. */
const PATIENCE_MS = 20_000;

let collector: Collector;
beforeEach(async () => (collector = await Collector.start()));
afterEach(() => collector.stop());

describe('a service whose collector', () => {
  let service: ServiceProcess;
  beforeEach(async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-token=CANARY-collector' };
    service = await ServiceProcess.start({ env: onDatabase(await workerDatabase(), { ROLE: 'api', ...env }) });
  });
  afterEach(() => ServiceProcess.killAll());

  it('takes traces sends those that wait when it stops', async () => {
    await answersAll(service);
    await stopped(service);
    expect(collector.spans.filter(({ name }) => name === 'GET /organizations')).toHaveLength(CALLS);
    expect(complaints(service)).toEqual([]);
  });

  it.each([
    ['hangs', async () => void (collector.manner = 'hangs')],
    ['is down', () => collector.stop()],
  ])('%s answers, stops in time and says so once', async (_how, lose) => {
    await lose();
    await answersAll(service);
    expect(await stopped(service)).toBeLessThan(STOP_LIMIT_MS);
    // The second only where the machine is so slow that an export failed before.
    const either = /did not take the last traces in time|takes no traces/;
    expect(complaints(service)).toEqual([expect.stringMatching(either)]);
  });

  it('refuses answers and says so once, with the status and without the credentials', async () => {
    collector.manner = 'refuses';
    await answersAll(service);
    await until('the log says so', () => complaints(service).length > 0, PATIENCE_MS);
    const exports = collector.requests.length;
    await service.call('GET', '/organizations', BOOTSTRAP_TOKEN);
    await until('more is refused', () => collector.requests.length > exports, PATIENCE_MS);
    await stopped(service);
    expect(complaints(service)).toEqual([expect.stringMatching(/takes no traces \(401 Unauthorized\).*check/)]);
  });
});

async function answersAll(service: ServiceProcess): Promise<void> {
  const calls = Array.from({ length: CALLS }, () => service.call('GET', '/organizations', BOOTSTRAP_TOKEN));
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
}

async function stopped(service: ServiceProcess): Promise<number> {
  const signalledAt = performance.now();
  service.signal('SIGTERM');
  expect(await service.exited).toEqual({ code: 0, signal: null });
  return performance.now() - signalledAt;
}

const complaints = ({ log }: ServiceProcess) => log.split('\n').filter((line) => line.includes('"context":"Traces"'));

it('keeps a bounded number of spans while the collector hangs', async () => {
  collector.manner = 'hangs';
  const settings = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const deployment = {
    url: '',
    ownerBootstrapToken: '',
    agentServiceTokens: [],
    capabilityKeys: [],
    encryptionKeys: [],
  };
  const metrics = new Metrics();
  const tracing = (await Tracing.of(new Config(settings, deployment))).measuredBy(metrics);
  const tick = () => tracing.tracer!.tick('tested', () => Promise.resolve());
  for (let nth = 0; nth < 2 * MOST_KEPT; nth += 1) await tick();
  await tracing.onApplicationShutdown();
  const { length } = collector.spans;
  expect(length).toBeGreaterThanOrEqual(MOST_KEPT / 2);
  expect(length).toBeLessThanOrEqual(MOST_KEPT);
  const shown = /^business_runner_trace_spans_lost_total (\d+)$/m.exec(await metrics.scrape());
  expect(Number(shown![1]) + length).toBeGreaterThanOrEqual(2 * MOST_KEPT);
  // What hung is sent again, and nothing outlasts the test.
  const hung = collector.requests.length;
  collector.manner = 'takes';
  await until('it is taken', () => collector.requests.length === 2 * hung, PATIENCE_MS);
});
