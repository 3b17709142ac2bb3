import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { build, isStale } from '../scripts/build.ts';
import { Bench } from './bench.ts';
import { gateTable, machine, type Row, table, toRow } from './report.ts';
import { NOT_MEASURED, SCENARIOS } from './scenarios/index.ts';

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    json: { type: 'string' },
  },
});

const quick = given.quick;
const pace = {
  quick,
  rounds: Number(given.rounds ?? (quick ? 1 : 3)),
  seconds: Number(given.seconds ?? (quick ? 1 : 3)),
};
const only = given.only?.split(',').map(Number);
const wanted = SCENARIOS.filter(({ ids, inQuick }) => (only ? ids.some((id) => only.includes(id)) : inQuick || !quick));

const startedAt = performance.now();
if (isStale()) build();
const bench = await Bench.open(pace);
const rows: Row[] = [];
const unmeasured: string[] = [];
try {
  console.log(
    `Ready after ${seconds()} s; ${wanted.length} scenarios, ${pace.rounds} rounds of ${pace.seconds} s a side.`,
  );
  for (const { name, metrics, measure } of wanted) {
    bench.background.length = 0;
    bench.failures.length = 0;
    try {
      const samples = await measure(bench);
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
console.log(`\n${table(rows)}\n`);
for (const failure of new Set(rows.flatMap(({ failures }) => failures))) console.log(`Failed calls: ${failure}`);
for (const reason of [...unmeasured, ...NOT_MEASURED]) console.log(`Not measured: ${reason}`);
console.log(`${JSON.stringify(machine())}, ${seconds()} s in all.`);
if (given.json)
  writeFileSync(
    given.json,
    `${JSON.stringify({ machine: machine(), pace, rows, unmeasured: [...unmeasured, ...NOT_MEASURED] }, null, 2)}\n`,
  );
void gateTable;

function seconds(): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(0);
}
