import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, organizationOf } from '../../support/client.ts';
import { Collector } from '../../support/peers/collector.ts';
import type { ExportedSpan } from '../../support/peers/otlp-schema.ts';
import { eventsPath } from '../../support/event-reader.ts';
import { firstChat } from '../../support/factories/chats.ts';
import { TestApp } from '../../support/test-app.ts';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const UNSAMPLED = '5bf92f3577b34da6a3ce929d0e0e4736';
const MALFORMED = `00-${CALLER.traceId}-${'0'.repeat(16)}-01`;

const app = new TestApp();
let collector: Collector;
let spans: readonly ExportedSpan[];
const answers: Record<string, Answer> = {};

beforeAll(async () => {
  collector = await Collector.start();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'tested' };
  await app.open({ ownDatabase: true, env });
});
afterAll(() => collector.stop());

/** The calls of all tests; the spans are complete once the application has stopped. */
beforeAll(async () => {
  const owner = await app.person();
  const organizationId = await organizationOf(owner);
  const chatId = await firstChat(app, organizationId);
  const tasks = `/organizations/${organizationId}/tasks?limit=3`;
  const call = async (name: string, path: string, headers: Record<string, string> = {}) => {
    answers[name] = await owner.get(path, { 'x-request-id': name, ...headers });
  };
  await call('plain', tasks);
  await call('called', tasks, { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` });
  await call('unsampled', tasks, { traceparent: `00-${UNSAMPLED}-${CALLER.spanId}-00` });
  await call('malformed', tasks, { traceparent: MALFORMED });
  await call('unknown', `/nothing/${randomUUID()}`);
  await call('probe', '/health/ready');
  answers.anonymous = await app.anonymous.get(tasks);
  answers.renamed = await owner.patch(`/organizations/${organizationId}`, { name: 'Renamed' });
  answers.refused = await (await app.person()).patch(`/organizations/${organizationId}`, { name: 'Not mine' });
  answers.stream = await owner.peek(eventsPath({ organizationId, chatId }));
  await app.runJob('task-liveness');
  await app.db.query('alter table chat rename to lost_chat');
  await call('failed', `/organizations/${organizationId}/chats`);
  await expect(app.runJob('chat-purge')).rejects.toThrow('chat');
  await app.close();
  spans = collector.spans;
});

/** The span of a call, by the trace id that its answer names. */
function spanOf(name: string): ExportedSpan {
  const { traceId } = answers[name]!.body.meta;
  return named((span) => span.kind === 'server' && span.traceId === traceId);
}

function named(condition: (span: ExportedSpan) => boolean): ExportedSpan {
  const found = spans.filter(condition);
  expect(found).toHaveLength(1);
  return found[0]!;
}

const below = ({ spanId }: ExportedSpan) => spans.filter(({ parentSpanId }) => parentSpanId === spanId);

it('is one span a request, named by method and route, with the status of its answer', () => {
  const route = '/organizations/:organizationId/tasks';
  expect(spanOf('plain')).toMatchObject({
    name: `GET ${route}`,
    parentSpanId: '',
    attributes: { 'http.request.method': 'GET', 'http.route': route, 'http.response.status_code': 200 },
    events: [],
    isError: false,
  });
  expect(spanOf('unknown')).toMatchObject({
    name: 'GET',
    attributes: { 'http.request.method': 'GET', 'http.response.status_code': 404 },
    isError: false,
  });
  expect(spanOf('anonymous')).toMatchObject({
    name: `GET ${route}`,
    attributes: { 'http.response.status_code': 401 },
    isError: false,
  });
  expect(spanOf('plain').resource).toMatchObject({ 'service.name': 'tested' });
});

it('is the child of the caller’s span', () => {
  expect(answers.called!.body.meta.traceId).toBe(CALLER.traceId);
  expect(spanOf('called')).toMatchObject({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId });
});

it('begins a trace of its own where the caller names none, or names it wrongly', () => {
  const { traceId } = answers.malformed!.body.meta;
  expect(traceId).toMatch(/^[0-9a-f]{32}$/);
  expect([CALLER.traceId, answers.plain!.body.meta.traceId]).not.toContain(traceId);
  expect(spanOf('malformed').parentSpanId).toBe('');
});

it('is not recorded where the caller does not record its trace, which answer and log name still', () => {
  expect(answers.unsampled!.body.meta.traceId).toBe(UNSAMPLED);
  expect(spans.filter(({ traceId }) => traceId === UNSAMPLED)).toEqual([]);
});

it('has the trace id of the line in the log', () => {
  const log = readFileSync(join(process.env.TEST_FOLDER!, `${process.pid}.jsonl`), 'utf8').split('\n');
  for (const name of ['plain', 'called', 'unsampled', 'malformed', 'failed']) {
    const line = log.find((each) => each.includes(`"requestId":"${name}"`))!;
    expect([name, JSON.parse(line).traceId]).toEqual([name, answers[name]!.body.meta.traceId]);
  }
});

describe('the statements of a request', () => {
  it('are one span for a round trip, with their number and what they do', () => {
    const [batch, ...others] = below(spanOf('plain'));
    expect(others).toEqual([]);
    expect(batch).toMatchObject({
      name: 'select task',
      kind: 'client',
      attributes: { 'db.system.name': 'postgresql', 'db.operation.batch.size': 3 },
      links: [],
    });
    const request = spanOf('plain');
    expect(batch!.startNs >= request.startNs && batch!.endNs <= request.endNs).toBe(true);
  });

  it('are one span for a transaction of several round trips', () => {
    const [transaction, ...others] = below(spanOf('renamed'));
    expect(others).toEqual([]);
    expect(transaction!.name).toBe(
      'select organization; update organization; insert into activity; insert into outbox_event',
    );
    expect(transaction!.attributes['db.operation.batch.size']).toBeGreaterThan(5);
  });

  it('have not failed where the request is refused for what they found', () => {
    expect([answers.refused!.status, below(spanOf('refused')).map(({ isError }) => isError)]).toEqual([404, [false]]);
  });

  it('say which error they met, and not its message', () => {
    const request = spanOf('failed');
    expect(answers.failed!.status).toBe(500);
    expect(request).toMatchObject({
      attributes: { 'http.response.status_code': 500, 'error.type': '500' },
      isError: true,
      statusMessage: '',
    });
    const [batch] = below(request);
    expect(batch).toMatchObject({
      attributes: { 'db.response.status_code': '42P01', 'error.type': '42P01' },
      events: [],
      isError: true,
      statusMessage: '',
    });
  });
});

it('is none for probes, which tell nothing new', () => {
  expect(answers.probe!.status).toBe(200);
  expect(spans.filter(({ name }) => name.includes('/health/'))).toEqual([]);
});

it('ends when a stream begins', () => {
  const span = named(({ name }) => name.endsWith('/events'));
  expect(span).toMatchObject({ attributes: { 'http.response.status_code': 200 }, isError: false });
});

it('is one a tick of a job, with its statements', () => {
  const tick = named(({ name }) => name === 'job task-liveness');
  expect(tick).toMatchObject({ kind: 'internal', parentSpanId: '', isError: false });
  expect(below(tick).length).toBeGreaterThan(0);
  const failed = named(({ name }) => name === 'job chat-purge');
  expect(failed).toMatchObject({ attributes: { 'error.type': '42P01' }, isError: true, statusMessage: '' });
});
