import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { plusDays } from '../../../src/modules/insights/definitions/index.ts';
import { Outside } from '../../support/peers/outside.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp({ ownDatabase: true, env: { FX_RATES: 'on' } });
const TODAY = new Date().toISOString().slice(0, 10);

let outside: Outside;
/** Files by their names, and which were asked for. */
let files: Record<string, string | ((response: ServerResponse) => void)>;
let asked: string[];

beforeAll(async () => {
  outside = await Outside.start();
  outside.surround(app);
  await outside.host('www.ecb.europa.eu', (request, response) => {
    const name = request.url!.split('/').at(-1)!;
    asked.push(name);
    const file = files[name];
    if (typeof file === 'function') file(response);
    else response.writeHead(file === undefined ? 404 : 200, { 'content-type': 'text/xml' }).end(file);
  });
});
afterAll(() => outside.stop());
beforeEach(async () => {
  files = {};
  asked = [];
  await app.db.query('delete from fx_rate');
});

it('come with the whole history first, and are revised where they changed', async () => {
  // Working days only as far back as it matters: the job knows none better.
  const days = Array.from({ length: 2_500 }, (_, at) => plusDays(TODAY, -at));
  files['eurofxref-hist.xml'] = fileOf(days, '1.1367');
  await app.runJob('exchange-rates');
  expect(asked).toEqual(['eurofxref-hist.xml']);
  const [kept] = await rows('select count(*)::int as n, min(day) as oldest from fx_rate');
  expect(kept!['n']).toBeGreaterThan(1_800 * 2);
  expect(String(kept!['oldest']) > plusDays(TODAY, -62 * 31)).toBe(true);

  await app.runJob('exchange-rates');
  expect(asked).toHaveLength(1);

  await app.db.query('delete from fx_rate where day > $1', [plusDays(TODAY, -10)]);
  files['eurofxref-hist-90d.xml'] = fileOf(days.slice(0, 60), '1.2');
  await app.runJob('exchange-rates');
  expect(asked[1]).toBe('eurofxref-hist-90d.xml');
  const revised = await rows(
    `select revision, rate::text from fx_rate where day = $1 and currency = 'USD' order by 1`,
    [plusDays(TODAY, -20)],
  );
  expect(revised).toEqual([
    { revision: 1, rate: '1.1367' },
    { revision: 2, rate: '1.2' },
  ]);
  const same = await rows(`select revision from fx_rate where day = $1 and currency = 'GBP'`, [plusDays(TODAY, -20)]);
  expect(same).toEqual([{ revision: 1 }]);
});

it.each([
  ['is cut', (response: ServerResponse) => void response.writeHead(200).end(fileOf([TODAY], '1.1').slice(0, -30))],
  ['ends with the connection', (response: ServerResponse) => cut(response)],
  ['is a page', (response: ServerResponse) => void response.writeHead(200).end('<!DOCTYPE html><html></html>')],
  ['is not there', (response: ServerResponse) => void response.writeHead(503).end()],
  [
    'lies elsewhere',
    (response: ServerResponse) => void response.writeHead(302, { location: 'https://x.example' }).end(),
  ],
])('stay as they are when a file %s', async (_, answer) => {
  await app.db.query(
    `insert into fx_rate (day, currency, revision, rate, fetched_at) values ('2021-12-01', 'USD', 1, 1.5, now())`,
  );
  files['eurofxref-hist.xml'] = answer;
  await app.runJob('exchange-rates');
  expect(asked).toEqual(['eurofxref-hist.xml']);
  expect(await rows('select day from fx_rate')).toEqual([{ day: '2021-12-01' }]);
});

it('are fetched by one replica', async () => {
  files['eurofxref-hist.xml'] = fileOf([TODAY], '1.1');
  const client = await app.db.connect();
  try {
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(hashtext('exchange rates'))`);
    await app.runJob('exchange-rates');
    expect(asked).toEqual([]);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

function cut(response: ServerResponse): void {
  const file = fileOf([TODAY], '1.1');
  response.writeHead(200, { 'content-length': file.length });
  response.write(file.slice(0, 300), () => response.destroy());
}

/** As the bank writes it: the newest day first, in single quotes. */
function fileOf(days: readonly string[], usd: string): string {
  const cubes = days.map(
    (day) => `<Cube time='${day}'><Cube currency='USD' rate='${usd}'/><Cube currency='GBP' rate='0.85986'/></Cube>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject><Cube>${cubes.join('\n')}</Cube></gesmes:Envelope>`;
}

async function rows(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await app.db.query(text, values)).rows;
}
