import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Bench } from './bench.ts';
import { callCosts } from './call-costs.ts';
import { gatesOf } from './gates.ts';
import { gitTransfers } from './git/transfers.ts';
import { type Gate, gateTable, machine, type Row, table, toRow } from './report.ts';
import { NOT_MEASURED, SCENARIOS } from './scenarios/index.ts';

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    /** Only what each call sends to the database: exact, and the same on any machine. */
    calls: { type: 'boolean', default: false },
    soak: { type: 'string' },
    json: { type: 'string' },
    /** Only what git fetches through the service, beside the same without it. */
    git: { type: 'boolean', default: false },
  },
});

if (given.git) {
  const isQuick = given.quick;
  await gitTransfers({
    megabytes: isQuick ? 50 : 500,
    refs: isQuick ? 5_000 : 50_000,
    rounds: Number(given.rounds ?? (isQuick ? 1 : 3)),
  });
  process.exit(0);
}

const quick = given.quick || given.calls;
const pace = {
  quick,
  rounds: Number(given.rounds ?? (quick ? 1 : 3)),
  seconds: Number(given.seconds ?? (quick ? 0.6 : 2)),
  soakSeconds: Number(given.soak ?? (quick ? 5 : 90)),
};
const only = given.only?.split(',').map(Number);
const wanted = SCENARIOS.filter(({ scenario, quick: inQuick }) => {
  if (given.calls) return false;
  return only ? scenario.ids.some((id) => only.includes(id)) : inQuick || !quick;
});

const startedAt = performance.now();
const bench = await Bench.open(pace);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void bench.close().finally(() => process.exit(1)));
const rows: Row[] = [];
const unmeasured: string[] = [];
const gates: Gate[] = [];
try {
  console.log(
    `Ready after ${seconds()} s; ${wanted.length} scenarios, ${pace.rounds} rounds of ${pace.seconds} s a side.`,
  );
  if (!only) gates.push(...(await callCosts(bench)));
  if (wanted.length > 0) await bench.warmUp();
  for (const { scenario } of wanted) {
    const { name, metrics } = scenario;
    bench.background.length = 0;
    bench.failures.length = 0;
    try {
      const samples = await scenario.measure(bench);
      for (const [key, metric] of Object.entries(metrics))
        rows.push(toRow(key, name, metric, samples[key]!, bench.circumstances()));
      console.log(`${seconds().padStart(4)} s  ${name}`);
    } catch (error) {
      unmeasured.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      console.log(`${seconds().padStart(4)} s  ${name} could not be measured: ${String(error)}`);
    }
  }
} finally {
  await bench.close();
}
rows.sort((a, b) => Number.parseInt(a.key, 10) - Number.parseInt(b.key, 10));
if (quick) gates.push(...gatesOf(rows));
console.log(`\n${table(rows)}\n`);
if (gates.length > 0) console.log(`${gateTable(gates)}\n`);
for (const failure of new Set(rows.flatMap(({ failures }) => failures))) console.log(`Failed calls: ${failure}`);
for (const reason of [...unmeasured, ...NOT_MEASURED]) console.log(`Not measured: ${reason}`);
const { cores, memoryGb, node } = machine();
const { perSecond, cpuMsPerCall } = bench.generator;
console.log(`${cores} cores, ${memoryGb} GB, Node ${node}; ${seconds()} s in all.`);
if (wanted.length > 0)
  console.log(`The load's own process: ${cpuMsPerCall.toFixed(3)} ms of CPU a call, at most ${perSecond} calls/s.`);
if (given.json)
  writeFileSync(
    given.json,
    `${JSON.stringify({ machine: machine(), generator: bench.generator, pace, rows, gates, unmeasured: [...unmeasured, ...NOT_MEASURED] }, null, 2)}\n`,
  );
if (gates.some(({ ok }) => !ok)) process.exitCode = 1;

function seconds(): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(0);
}
