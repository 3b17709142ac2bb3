import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { S3Peer } from '../../support/peers/s3-peer.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { TestApp } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;
const OCTETS = { 'content-type': 'application/octet-stream' };
const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

let peer: S3Peer;
let bucket: string;
let service: ServiceProcess;
let app: TestApp;
let place: Workplace;
let run: Awaited<ReturnType<Workplace['run']>>;

beforeAll(async () => {
  peer = await S3Peer.start();
  const env = await peer.environment();
  bucket = env.OBJECT_STORE_S3_BUCKET!;
  const databaseUrl = await freshDatabase('migrated');
  service = await ServiceProcess.start({ env: onDatabase(databaseUrl, env) });
  app = await TestApp.start({ databaseUrl, env });
  place = await Workplace.open(app);
  run = await place.run();
}, 60_000);
afterAll(async () => {
  await ServiceProcess.killAll();
  await app.close();
  await peer.stop();
});

const artifact = (sha256: string) => place.agentPath(`/artifacts/${sha256}`);
const keyOf = (sha256: string) => `organizations/${place.organizationId}/runs/${run.runId}/artifacts/${sha256}`;

function put(bytes: Buffer<ArrayBuffer>, sha256 = digestOf(bytes)) {
  const headers = { authorization: `Bearer ${run.agent.token}`, ...OCTETS };
  return fetch(service.baseUrl + artifact(sha256), { method: 'PUT', headers, body: bytes });
}

function read(sha256: string, headers: Record<string, string> = {}) {
  const url = service.baseUrl + place.path(`/runs/${run.runId}/artifacts/${sha256}`);
  return fetch(url, { headers: { authorization: `Bearer ${place.owner.token}`, ...headers } });
}

describe('a service whose bytes are in a bucket', () => {
  it('stores them, and gives them back whole and in part', async () => {
    const bytes = randomBytes(12 * MIB);
    const sha256 = digestOf(bytes);
    expect((await put(bytes)).status).toBe(201);
    expect(await peer.keys(bucket)).toEqual([keyOf(sha256)]);
    const whole = await read(sha256);
    expect([whole.status, Buffer.from(await whole.arrayBuffer()).equals(bytes)]).toEqual([200, true]);
    const part = await read(sha256, { range: `bytes=${5 * MIB - 2}-${5 * MIB + 1}` });
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes ${5 * MIB - 2}-${5 * MIB + 1}/${12 * MIB}`,
    ]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(5 * MIB - 2, 5 * MIB + 2));
    expect((await read(sha256, { range: `bytes=${12 * MIB}-` })).status).toBe(416);
  });

  it('keeps nothing of what it refuses', async () => {
    const before = await peer.keys(bucket);
    const bytes = randomBytes(7 * MIB);
    expect((await put(bytes, digestOf(Buffer.from('another')))).status).toBe(400);
    expect((await put(Buffer.alloc(50 * MIB + 1))).status).toBe(413);
    expect([await peer.keys(bucket), await peer.uploads(bucket)]).toEqual([before, []]);
  });

  it('keeps nothing of what breaks off', async () => {
    const before = await peer.keys(bucket);
    const sha256 = 'a'.repeat(64);
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `PUT ${artifact(sha256)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${run.agent.token}\r\n` +
        `Content-Type: application/octet-stream\r\nContent-Length: ${20 * MIB}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(12 * MIB));
    await until('some of it is sent on', async () => (await peer.uploads(bucket)).length === 1);
    socket.destroy();
    await until('nothing is left', async () => (await peer.uploads(bucket)).length === 0);
    expect(await peer.keys(bucket)).toEqual(before);
  });

  it('grows by a part of each of twenty uploads at once, not by their size', async () => {
    const sizeBytes = 16 * MIB;
    await Promise.all(Array.from({ length: 20 }, () => put(randomBytes(6 * MIB))));
    const before = service.peakRssBytes();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await put(randomBytes(sizeBytes))).status),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(service.peakRssBytes() - before).toBeLessThan((20 * sizeBytes) / 4);
  }, 60_000);

  it('removes those of an organization that is deleted', async () => {
    await app.bootstrap.delete(`/organizations/${place.organizationId}`);
    await app.runJob('organization-purge');
    expect(await peer.keys(bucket)).toEqual([`purged-organizations/${place.organizationId}`]);
  });

  it('is degraded as long as the bucket takes no bytes', async () => {
    expect((await app.anonymous.get('/health/ready')).body.data.degraded).toEqual([]);
    const env = await peer.environment();
    const bucketless = await TestApp.start({ databaseUrl: app.databaseUrl, env });
    await peer.removeBucket(env.OBJECT_STORE_S3_BUCKET!);
    const { status, body } = await bucketless.anonymous.get('/health/ready');
    await bucketless.close();
    expect([status, body.data.degraded]).toEqual([200, ['object_store']]);
  });
});
