import Fastify from 'fastify';
import pg from 'pg';
import { LISTS, singleTask } from './bare-reads.ts';
import {
  LIFECYCLE_SETTINGS,
  type LeasedRun,
  type LifecycleStep,
  type LogEntry,
  runStep,
} from './lifecycle-statements.ts';

/** The same work on Fastify and `pg` alone, without authentication, validation, tenancy or envelopes. */
const connectionString = process.env.DATABASE_URL!;
const pool = new pg.Pool({ connectionString, max: 20 });
const lifecyclePool = new pg.Pool({ connectionString, max: 20, options: LIFECYCLE_SETTINGS });
const app = Fastify();

interface Body extends Omit<LeasedRun, 'tokenHash'> {
  readonly tokenHash: string;
  readonly entries?: readonly LogEntry[];
}

for (const step of ['start', 'running', 'heartbeat', 'logs', 'complete'] satisfies LifecycleStep[])
  app.post<{ Body: Body }>(`/${step}`, async ({ body }) => {
    await runStep(lifecyclePool, step, { ...body, tokenHash: Buffer.from(body.tokenHash, 'base64') }, body.entries);
    return { ok: true };
  });

for (const [name, text] of Object.entries(LISTS))
  app.get<{ Querystring: { organization: string; chat?: string } }>(`/${name}`, async ({ query }) => {
    const values = query.chat === undefined ? [query.organization] : [query.organization, query.chat];
    const { rows } = await pool.query({ name, text, values });
    return rows as unknown[];
  });

app.get<{ Querystring: { organization: string; id: string } }>('/task', async ({ query }) => {
  const { rows } = await pool.query({ name: 'task', text: singleTask, values: [query.organization, query.id] });
  return rows[0] as unknown;
});

/** What the generator alone costs is measured here. */
app.get('/nothing', async () => ({ ok: true }));

process.on('SIGTERM', () => process.exit(0));
console.log(JSON.stringify({ msg: 'ready', baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }) }));
