import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Collector } from '../../support/peers/collector.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN } from '../../support/test-app.ts';
import { workerDatabase } from '../../support/database/test-database.ts';

const REPORT_MODULES = fileURLToPath(new URL('../../support/processes/report-modules.mjs', import.meta.url));
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

let collector: Collector;
beforeAll(async () => (collector = await Collector.start()));
afterAll(() => collector.stop());
afterEach(() => ServiceProcess.killAll());

/** Starts a service, calls it and stops it; returns what it loaded of OpenTelemetry, and the trace id of its answer. */
async function served(env: Record<string, string>) {
  const service = await ServiceProcess.start({ env: onDatabase(await workerDatabase(), env), preload: REPORT_MODULES });
  const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
  const { body } = await service.call('GET', '/organizations', BOOTSTRAP_TOKEN, undefined, headers);
  service.signal('SIGTERM');
  await service.exited;
  const loaded = new Set([...service.stderr.matchAll(/^loaded (\S+)$/gm)].map(([, name]) => name));
  return { loaded, traceId: body.meta.traceId };
}

it('without a collector nothing of the OpenTelemetry SDK is loaded, and answers name the caller’s trace still', async () => {
  const { loaded, traceId } = await served({ OTEL_SERVICE_NAME: 'named', OTEL_TRACES_SAMPLER: 'always_on' });
  // `prom-client` loads the interfaces for its exemplars, which nobody uses here.
  expect([...loaded].filter((name) => name !== '@opentelemetry/api')).toEqual([]);
  expect(traceId).toBe(TRACE);
});

it('with one it is', async () => {
  const { loaded } = await served({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect(loaded).toContain('@opentelemetry/sdk-trace');
});
