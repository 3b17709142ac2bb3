import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { onRun, startedRun, type StartedRun } from '../../support/factories/work.ts';
import { Collector } from '../../support/peers/collector.ts';
import { TestApp } from '../../support/test-app.ts';

const CALLS = 6;

const app = new TestApp();
let collector: Collector;
let runs: StartedRun[];
beforeAll(async () => {
  collector = await Collector.start();
  await app.open({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
});
beforeAll(async () => {
  const owner = await app.person();
  runs = await Promise.all(Array.from({ length: CALLS }, async () => startedRun(app, await organizationOf(owner))));
});
afterAll(() => collector.stop());

it('requests that share a transaction are linked with its one span, and it belongs to one of them', async () => {
  const answers = await Promise.all(runs.map((run) => onRun(app, run, 'heartbeat')));
  expect(answers.map(({ status }) => status)).toEqual(runs.map(() => 200));
  // Sends the spans that wait.
  await app.close();

  const { spans } = collector;
  const requests = spans.filter(({ name }) => name === 'POST /internal/runs/:runId/heartbeat');
  expect(requests).toHaveLength(CALLS);
  const ids = new Set(requests.map(({ spanId }) => spanId));
  const batches = spans.filter(({ parentSpanId }) => ids.has(parentSpanId));
  // Each request is in one transaction: as its parent, or by links in both directions.
  expect(batches.flatMap(({ parentSpanId, links }) => [parentSpanId, ...links]).toSorted()).toEqual(
    [...ids].toSorted(),
  );
  for (const batch of batches) {
    const linking = requests.filter(({ links }) => links.includes(batch.spanId)).map(({ spanId }) => spanId);
    expect(linking.toSorted()).toEqual(batch.links.toSorted());
  }
  expect(batches.length).toBeLessThan(CALLS);
});
