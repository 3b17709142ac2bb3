import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { attachmentPath, namesOf } from '../../support/factories/attachments.ts';
import { company } from '../../support/client.ts';
import { EventReader, eventsPath } from '../../support/event-reader.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN, SERVICE_TOKEN } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

/**
 * A stop in the midst of everything: nothing that was acknowledged is lost, leases hold, and whoever came is answered;
 * no connection is reset unread.
 */
const CREATIONS = 200;
const UPLOADS = 5;
const LIMIT_MS = 4_000;
const SPEC = { objective: 'Do it', inputs: [], acceptanceCriteria: [] };

let databaseUrl: string;
let db: pg.Pool;
let organizationId: string;
let chatId: string;

beforeAll(async () => {
  databaseUrl = await freshDatabase('migrated');
  db = new pg.Pool({ connectionString: databaseUrl, max: 2 });
});
afterEach(() => ServiceProcess.killAll());
afterAll(() => db.end());

describe.each([
  ['with time for balancers to notice', '1'],
  ['at once', '0'],
])('SIGTERM amid creations, uploads, waits and streams, %s', (_name, drainSeconds) => {
  it('answers all of them, and loses nothing', async () => {
    const env = onDatabase(databaseUrl, {
      SHUTDOWN_TIMEOUT_MS: String(LIMIT_MS),
      SHUTDOWN_DRAIN_SECONDS: drainSeconds,
    });
    const service = await ServiceProcess.start({ env });
    await settle(service);
    const run = await startedRun(service);
    const claim = waitingClaim(service);
    const stream = await EventReader.open(service.baseUrl, eventsPath({ organizationId, chatId }), {
      token: BOOTSTRAP_TOKEN,
    });
    const uploads = Array.from({ length: UPLOADS }, () => slowUpload(service));
    await until('the uploads are under way', async () => {
      const { rows } = await db.query('select from attachment_upload where organization_id = $1', [organizationId]);
      return rows.length === UPLOADS;
    });
    const creations = Array.from({ length: CREATIONS }, () => createTask(service));
    await Promise.race(creations);

    service.signal('SIGTERM');
    const answers = await Promise.all(creations);
    expect(answers.filter((answer) => answer !== '201' && answer !== '503' && answer !== 'ECONNREFUSED')).toEqual([]);
    expect(answers).toContain('201');
    expect(await claim).toEqual([200, []]);
    await stream.untilEnded();
    for (const answer of await Promise.all(uploads))
      expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*\nconnection: close[^]*"code":"service_unavailable"/i);
    expect(await service.exited).toEqual({ code: 0, signal: null });

    const { rows } = await db.query(
      `select count(*)::int as count from task where organization_id = $1 and title = 'Fresh'`,
      [organizationId],
    );
    expect(rows[0].count).toBeGreaterThanOrEqual(answers.filter((answer) => answer === '201').length);
    const next = await ServiceProcess.start({ env: { ...env, SHUTDOWN_DRAIN_SECONDS: '0' } });
    const beat = await next.call('POST', `/internal/runs/${run.runId}/heartbeat`, SERVICE_TOKEN, {
      organizationId,
      leaseToken: run.leaseToken,
    });
    expect(beat.status).toBe(200);
  }, 60_000);
});

/** An organization of its own for each stop. */
async function settle(service: ServiceProcess): Promise<void> {
  const owner = (method: string, path: string, body: unknown, headers = {}) =>
    service.call(method, path, BOOTSTRAP_TOKEN, body, headers);
  const { body } = await owner('POST', '/organizations', company(), { 'idempotency-key': randomUUID() });
  organizationId = body.data.organization.id;
  chatId = (await owner('POST', `/organizations/${organizationId}/chats`, { title: 'Uploads' })).body.data.id;
}

async function startedRun(service: ServiceProcess): Promise<{ runId: string; leaseToken: string }> {
  const task = { title: 'At work', spec: SPEC, ownerAgentProfileKey: 'growth' };
  const created = await service.call('POST', `/organizations/${organizationId}/tasks`, BOOTSTRAP_TOKEN, task);
  expect([created.status, created.body.error]).toEqual([201, undefined]);
  const workplace = { workerId: 'works', bootId: randomUUID() };
  const claimed = await service.call('POST', '/internal/run-requests/claim', SERVICE_TOKEN, {
    ...workplace,
    organizationIds: [organizationId],
    executionClasses: ['standard'],
    waitSeconds: 10,
  });
  const [{ runRequestId, leaseToken }] = claimed.body.data;
  const started = await service.call('POST', `/internal/run-requests/${runRequestId}/start`, SERVICE_TOKEN, {
    ...workplace,
    organizationId,
    leaseToken,
    runId: randomUUID(),
  });
  expect([started.status, started.body.error]).toEqual([200, undefined]);
  return { runId: started.body.data.runId, leaseToken };
}

/** A claim for which there is no work; resolves with its status and what it was given. */
async function waitingClaim(service: ServiceProcess): Promise<unknown[]> {
  const { status, body } = await service.call('POST', '/internal/run-requests/claim', SERVICE_TOKEN, {
    workerId: 'waits',
    bootId: randomUUID(),
    profileKeys: ['nobody'],
    waitSeconds: 30,
  });
  return [status, body.data];
}

/** What is answered on a connection of its own: the status, or why there was none. */
function createTask(service: ServiceProcess): Promise<string> {
  const agent = new Agent({ keepAlive: false });
  const body = JSON.stringify({ title: 'Fresh', spec: SPEC, ownerAgentProfileKey: 'growth' });
  const headers = { authorization: `Bearer ${BOOTSTRAP_TOKEN}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const call = request(`${service.baseUrl}/organizations/${organizationId}/tasks`, {
      method: 'POST',
      agent,
      headers,
    });
    call.on('response', (response) => resolve(text(response).then(() => String(response.statusCode))));
    call.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    call.end(body);
  });
}

/** An upload that would take an hour; resolves with all that it is answered. */
function slowUpload(service: ServiceProcess): Promise<string> {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  const path = `${attachmentPath({ organizationId, chatId }, randomUUID())}?${namesOf()}`;
  const head = [
    `PUT ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${BOOTSTRAP_TOKEN}`,
    'Content-Type: application/octet-stream',
    'Content-Length: 40000000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const drip = setInterval(() => socket.write('x'.repeat(1_000)), 50);
  return new Promise((resolve) => {
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    const done = () => {
      clearInterval(drip);
      socket.destroy();
      resolve(answer);
    };
    for (const end of ['end', 'error']) socket.once(end, done);
  });
}
