import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { Collector } from '../../support/peers/collector.ts';
import { TestApp } from '../../support/test-app.ts';

const app = new TestApp();
let collector: Collector;
beforeAll(async () => {
  collector = await Collector.start();
  await app.open({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20CANARY-of-the-collector, x-tenant=a%2Cb',
    },
  });
});
afterAll(() => collector.stop());

it('exports nothing that callers send, but the method and the ids of traceparent', async () => {
  const owner = await app.person();
  const organizationId = await organizationOf(owner);
  const organization = `/organizations/${organizationId}`;
  const headers = {
    'user-agent': 'CANARY-agent',
    cookie: 'session=CANARY-cookie',
    tracestate: 'vendor=CANARY-state',
    baggage: 'user=CANARY-baggage',
    'x-forwarded-for': 'CANARY-address',
  };
  const statuses = [
    await owner.get(`${organization}/chats?search=CANARY-search`, headers),
    await owner.get(`${organization}/tasks?cursor=CANARY-cursor`, headers),
    await owner.get(`/CANARY-path`, headers),
    await owner.patch(organization, { name: 'Acme', unknown: 'CANARY-body' }, headers),
    await owner.get(organization, { ...headers, authorization: 'Bearer brt_CANARY-token' }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([200, 400, 404, 400, 401]);
  // Sends the spans that wait.
  await app.close();
  expect(collector.spans.filter(({ kind }) => kind === 'server').length).toBeGreaterThanOrEqual(5);
  // Texts stand in protobuf as they are.
  const bytes = Buffer.concat(collector.bodies).toString('latin1');
  expect(bytes).not.toContain('CANARY');
  // Ids are no secrets, but spans have no need of them.
  expect(bytes).not.toContain(organizationId);
  expect(bytes).not.toContain(owner.subject);
  expect(collector.requests[0]).toMatchObject({
    path: '/v1/traces',
    headers: { authorization: 'Bearer CANARY-of-the-collector', 'x-tenant': 'a,b' },
  });
});
