import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { company } from '../../support/client.ts';
import { EventReader, eventsPath } from '../../support/event-reader.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN, SERVICE_TOKEN } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

/** What a process may need beyond its limit to notice and to go. */
const SLACK_MS = 2_000;
/** How long a port stays open that new connections come to without end. */
const SETTLE_MS = 2_000;
/** As the service counts signals, and a little more. */
const ONE_REQUEST_MS = 2_100;
/** What processes that migrate take turns by. */
const MIGRATION_LOCK = 4_021_847_311;

describe('SIGTERM', () => {
  let databaseUrl: string;
  let db: pg.Pool;
  let organizationId: string;
  /** Holds the lock that the request in flight needs. */
  let holder: pg.PoolClient;

  beforeAll(async () => {
    databaseUrl = await freshDatabase('migrated');
    db = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    holder = await db.connect();
  });
  afterAll(async () => {
    holder.release();
    await db.end();
  });
  beforeEach(() => holder.query('begin'));
  afterEach(async () => {
    await ServiceProcess.killAll();
    await holder.query('rollback');
  });

  it('answers the request in flight, closes idle connections, is not ready meanwhile, and exits 0', async () => {
    const limitMs = 8_000;
    const service = await start(limitMs);
    const idle = await idleConnection(service);
    const { request } = await requestInFlight(service);

    const signalledAt = performance.now();
    service.signal('SIGTERM');
    await until('it is not ready', () => isNotReady(service));
    await until('the idle connection is closed', () => idle.destroyed);
    expect(await Promise.race([request, service.exited, Promise.resolve('in flight')])).toBe('in flight');

    await holder.query('rollback');
    const { status, headers, body } = await request;
    expect([status, body.data.name]).toEqual([200, 'Renamed']);
    expect(headers.get('connection')).toBe('close');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - signalledAt).toBeLessThan(limitMs);
    const { rows } = await db.query('select name from organization where id = $1', [organizationId]);
    expect(rows).toEqual([{ name: 'Renamed' }]);
  });

  it('answers a claim that waits for work at once, with nothing', async () => {
    const service = await start(8_000);
    const claim = service.call('POST', '/internal/run-requests/claim', SERVICE_TOKEN, {
      workerId: 'waits',
      bootId: randomUUID(),
      // What the service orders itself may have come to be before the test took it back.
      executionClasses: ['standard'],
      waitSeconds: 30,
    });
    await until('it has looked for work', async () => {
      const { rows } = await db.query(
        `select from pg_stat_activity where datname = current_database() and state = 'idle' and query like '%picked as materialized%organization_dispatch%'`,
      );
      return rows.length > 0;
    });
    const signalledAt = performance.now();
    service.signal('SIGTERM');
    const { status, body } = await claim;
    expect([status, body.data]).toEqual([200, []]);
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - signalledAt).toBeLessThan(SLACK_MS);
  });

  it('ends event streams at once, new ones too, whether or not their clients read', async () => {
    const service = await start(8_000);
    const { rows } = await db.query('select id from chat where organization_id = $1', [organizationId]);
    const path = eventsPath({ organizationId, chatId: rows[0].id });
    const open = () => EventReader.open(service.baseUrl, path, { token: BOOTSTRAP_TOKEN });
    const [reader, still] = [await open(), await open()];
    still.stopReading();
    await requestInFlight(service);

    const signalledAt = performance.now();
    service.signal('SIGTERM');
    await reader.untilEnded();
    expect(reader.comments).toEqual(['the service stops; reconnect']);
    expect(reader.retryMs).toBeGreaterThan(0);
    // Where the port still answers, the stream ends with the request to reconnect, which a browser would not do after 503.
    const late = await open().catch(() => undefined);
    await late?.untilEnded();
    expect(late?.comments ?? reader.comments).toEqual(reader.comments);
    await holder.query('rollback');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - signalledAt).toBeLessThan(SLACK_MS);
  });

  it('answers 503 at the limit where a request does not end, and goes', async () => {
    const limitMs = 600;
    const service = await start(limitMs);
    const { request } = await requestInFlight(service);

    const signalledAt = performance.now();
    service.signal('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    const tookMs = performance.now() - signalledAt;
    expect(tookMs).toBeGreaterThanOrEqual(limitMs);
    expect(tookMs).toBeLessThan(limitMs + SLACK_MS);
    const { status, headers, body } = await request;
    expect([status, body.error.code, headers.get('connection')]).toEqual([503, 'service_unavailable', 'close']);
  });

  it('says that it is not ready while the port still answers, to new connections too, and closes it then', async () => {
    const drainMs = 2_000;
    const service = await start(8_000, { SHUTDOWN_DRAIN_SECONDS: String(drainMs / 1_000) });
    const signalledAt = performance.now();
    service.signal('SIGTERM');
    await until('it is not ready', async () => (await answerOf(service, '/health/ready')).status === 503);
    const path = `/organizations/${organizationId}`;
    const answer = await answerOf(service, path, { authorization: `Bearer ${BOOTSTRAP_TOKEN}` });
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    expect((await answerOf(service, '/health/live')).status).toBe(200);
    await until(
      'the port is closed',
      () =>
        answerOf(service, path).then(
          () => false,
          () => true,
        ),
      drainMs + SETTLE_MS + SLACK_MS,
    );
    expect(await service.exited).toEqual({ code: 0, signal: null });
    const tookMs = performance.now() - signalledAt;
    expect(tookMs).toBeGreaterThanOrEqual(drainMs);
    expect(tookMs).toBeLessThan(drainMs + SETTLE_MS + SLACK_MS);
  });

  it('ends at once when nothing is in flight', async () => {
    const service = await start(60_000);
    const signalledAt = performance.now();
    service.signal('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - signalledAt).toBeLessThan(SLACK_MS);
  });

  it('takes signals that come together for one request to stop, and ends at once at a second one', async () => {
    const service = await start(60_000);
    (await requestInFlight(service)).request.catch(() => undefined);
    service.signal('SIGTERM');
    service.signal('SIGINT');
    await wait(ONE_REQUEST_MS);
    expect(await isNotReady(service)).toBe(true);
    const signalledAt = performance.now();
    service.signal('SIGTERM');
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(performance.now() - signalledAt).toBeLessThan(SLACK_MS);
  });

  it('ends a start that waits for its turn to migrate', async () => {
    const unmigrated = await freshDatabase('empty');
    const migrating = new pg.Client({ connectionString: unmigrated });
    await migrating.connect();
    await migrating.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const service = ServiceProcess.launch({ env: onDatabase(unmigrated) });
    await until('it waits', () => service.log.includes('waiting for another process that runs the migrations'), 30_000);
    service.signal('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect((await migrating.query(`select to_regclass('organization') as made`)).rows).toEqual([{ made: null }]);
    await migrating.end();
  });

  async function start(limitMs: number, others: Record<string, string> = {}): Promise<ServiceProcess> {
    const env = onDatabase(databaseUrl, { SHUTDOWN_TIMEOUT_MS: String(limitMs), ...others });
    const service = await ServiceProcess.start({ env });
    const key = { 'idempotency-key': crypto.randomUUID() };
    const { body } = await service.call('POST', '/organizations', BOOTSTRAP_TOKEN, company(), key);
    organizationId = body.data.organization.id;
    // What jobs would begin by themselves in a new organization would wait for the locked row too.
    await db.query('delete from discovery_intention where organization_id = $1', [organizationId]);
    return service;
  }

  /** A call that waits inside the service for a row that the test has locked. */
  async function requestInFlight(service: ServiceProcess) {
    await holder.query('select 1 from organization where id = $1 for no key update', [organizationId]);
    const request = service.call('PATCH', `/organizations/${organizationId}`, BOOTSTRAP_TOKEN, { name: 'Renamed' });
    await until('the request waits for the row', async () => {
      const { rowCount } = await db.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like '%from organization where id%for no key update%'`,
      );
      return rowCount === 1;
    });
    return { request };
  }
});

/** A keep-alive connection that has had an answer and is open. */
async function idleConnection(service: ServiceProcess): Promise<Socket> {
  const agent = new Agent({ keepAlive: true });
  const [response] = (await once(get(`${service.baseUrl}/health/ready`, { agent }), 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  const { socket } = response;
  response.resume();
  await once(response, 'end');
  socket.on('error', () => undefined);
  expect(socket.destroyed).toBe(false);
  return socket;
}

/** What a new connection is answered; rejects where there is none. */
async function answerOf(service: ServiceProcess, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(service.baseUrl + path, { headers: { ...headers, connection: 'close' } });
  await response.text();
  return response;
}

/** 503 on a new connection, or no connection any more. */
async function isNotReady(service: ServiceProcess): Promise<boolean> {
  try {
    const response = await fetch(`${service.baseUrl}/health/ready`);
    await response.text();
    return response.status === 503;
  } catch {
    return true;
  }
}
