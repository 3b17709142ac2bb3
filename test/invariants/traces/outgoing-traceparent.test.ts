import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Config, deploymentFromSettings, readSettings } from '../../../src/config/index.ts';
import type { EgressRequest } from '../../../src/kernel/egress/index.ts';
import { Tracing } from '../../../src/kernel/tracing/index.ts';
import { Collector } from '../../support/peers/collector.ts';
import { Outside } from '../../support/peers/outside.ts';

let outside: Outside;
let collector: Collector;
beforeAll(async () => {
  outside = await Outside.start();
  collector = await Collector.start();
});
afterAll(async () => {
  outside.stop();
  await collector.stop();
});

async function tracing(env: Record<string, string> = {}): Promise<Tracing> {
  const settings = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
  const deployment = {
    url: '',
    ownerBootstrapToken: '',
    agentServiceTokens: [],
    capabilityKeys: [],
    encryptionKeys: [],
  };
  return Tracing.of(new Config(settings, deploymentFromSettings(settings) ?? deployment));
}

it('goes to hosts of the deployment and to local peers, and to no host of others', async () => {
  const came: Record<string, string | string[] | undefined> = {};
  const noting = (name: string) => (request: IncomingMessage, response: ServerResponse) => {
    came[name] = request.headers.traceparent;
    response.end();
  };
  const foreign = await outside.host('api.acme.example', noting('foreign'));
  const listed = await outside.host('listed.acme.example', noting('listed'));
  const configured = await outside.host('own.acme.example', noting('configured'));
  const peer = `http://127.0.0.1:${await outside.plain(noting('peer'))}`;
  const egress = outside.egress({ localPeers: [peer] });
  const send = async (url: string, hosts: EgressRequest['hosts']) => {
    const result = await egress.send({ url, method: 'GET', limits: { totalMs: 10_000, maxBytes: 100 }, hosts });
    expect(result).toMatchObject({ status: 200 });
  };
  const all = async () => {
    await send(foreign, 'public');
    await send(listed, [listed]);
    await send(configured, { configured });
    await send(peer, 'public');
  };

  const traced = await tracing();
  await traced.tracer!.tick('sends', all);
  await traced.onApplicationShutdown();
  const [span] = collector.spans;
  const traceparent = `00-${span!.traceId}-${span!.spanId}-01`;
  expect(came).toEqual({ configured: traceparent, peer: traceparent });

  const unsampled = await tracing({ OTEL_TRACES_SAMPLER: 'always_off' });
  await unsampled.tracer!.tick('sends', all);
  await unsampled.onApplicationShutdown();
  expect(came.peer).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);

  await all();
  expect(came).toEqual({});
  expect(collector.spans).toHaveLength(1);
});
