import { describe, expect, it } from '@jest/globals';
import { defineMetrics, Metrics } from './index.ts';

const Table = defineMetrics({
  taken: { kind: 'counter', name: 'probe_taken_total', help: 'Things taken.', labels: { by: ['hand', 'foot'] } },
  lost: { kind: 'counter', name: 'probe_lost_total', help: 'Things lost.' },
  wait: {
    kind: 'histogram',
    name: 'probe_wait_seconds',
    help: 'Seconds of waiting.',
    labels: { route: 'the routes' },
    buckets: [0.1, 1],
  },
  depth: { kind: 'gauge', name: 'probe_depth', help: 'Things that wait.', labels: { by: ['hand', 'foot'] } },
});

async function linesOf(metrics: Metrics): Promise<string[]> {
  return (await metrics.scrape()).split('\n').filter((line) => line.startsWith('business_runner_probe'));
}

describe('Metrics', () => {
  it('shows a counter at 0 from its first mention, and adds to one series alone', async () => {
    const metrics = new Metrics();
    const byHand = metrics.counter(Table.taken, { by: 'hand' });
    metrics.counter(Table.taken, { by: 'foot' });
    metrics.counter(Table.lost).inc(3);
    byHand.inc();
    byHand.inc(2);
    expect(await linesOf(metrics)).toEqual([
      'business_runner_probe_taken_total{by="hand"} 3',
      'business_runner_probe_taken_total{by="foot"} 0',
      'business_runner_probe_lost_total 3',
    ]);
  });

  it('counts observed values by bucket', async () => {
    const metrics = new Metrics();
    const sample = metrics.histogram(Table.wait, { route: '/"a"' });
    for (const seconds of [0.05, 0.5, 5]) sample.observe(seconds);
    expect(await linesOf(metrics)).toEqual([
      String.raw`business_runner_probe_wait_seconds_bucket{le="0.1",route="/\"a\""} 1`,
      String.raw`business_runner_probe_wait_seconds_bucket{le="1",route="/\"a\""} 2`,
      String.raw`business_runner_probe_wait_seconds_bucket{le="+Inf",route="/\"a\""} 3`,
      String.raw`business_runner_probe_wait_seconds_sum{route="/\"a\""} 5.55`,
      String.raw`business_runner_probe_wait_seconds_count{route="/\"a\""} 3`,
    ]);
  });

  it('reads gauges at each scrape, after what was to be looked up, and leaves out what is not known', async () => {
    const metrics = new Metrics();
    let [depth, looks] = [7 as number | undefined, 0];
    metrics.gauge(Table.depth, () => depth, { by: 'hand' });
    const found = metrics.lookUp(async () => (looks += 1));
    metrics.gauge(Table.depth, found, { by: 'foot' });
    const expected = ['business_runner_probe_depth{by="hand"} 7', 'business_runner_probe_depth{by="foot"} 1'];
    expect(await linesOf(metrics)).toEqual(expected);
    depth = undefined;
    expect(await linesOf(metrics)).toEqual(expected.slice(1));
  });

  it('looks things up once for scrapes that come together, and leaves out what failed', async () => {
    const metrics = new Metrics();
    let looks = 0;
    const found = metrics.lookUp(async () => {
      looks += 1;
      throw new Error('expected by the test');
    });
    metrics.gauge(Table.depth, found, { by: 'hand' });
    expect(await Promise.all([linesOf(metrics), linesOf(metrics)])).toEqual([[], []]);
    expect(looks).toBe(1);
  });

  it('keeps applications of one process apart, which share what concerns the process', async () => {
    const [one, other] = [new Metrics(), new Metrics()];
    one.counter(Table.lost).inc();
    other.counter(Table.lost);
    expect([await linesOf(one), await linesOf(other)]).toEqual([
      ['business_runner_probe_lost_total 1'],
      ['business_runner_probe_lost_total 0'],
    ]);
    expect(await other.scrape()).toMatch(/^process_resident_memory_bytes \d+$/m);
  });
});

describe('defineMetrics', () => {
  it.each([
    ['a counter without _total', { kind: 'counter', name: 'things', help: 'x' }],
    ['a gauge with _total', { kind: 'gauge', name: 'things_total', help: 'x' }],
    ['a name with the prefix', { kind: 'gauge', name: 'business_runner_things', help: 'x' }],
    ['a name in camel case', { kind: 'gauge', name: 'manyThings', help: 'x' }],
    ['a histogram without buckets', { kind: 'histogram', name: 'things_seconds', help: 'x' }],
  ] as const)('refuses %s', (_, row) => {
    expect(() => defineMetrics({ row })).toThrow(row.name);
  });
});
