import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Authority } from '../../support/peers/authority.ts';
import { freePort } from '../../../src/embedded/index.ts';
import { organizationOf, type Person } from '../../support/client.ts';
import { actionRow, approved, carriedOut, proposer } from '../../support/factories/posted-actions.ts';
import { createWebhook, type MadeWebhook, recordEvents } from '../../support/factories/webhooks.ts';
import { LOCAL_TRIAL } from '../../support/peers/receiver.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The receiver of the examples, as a process of its own. */
class ExampleReceiver {
  out = '';
  private child: ChildProcess | undefined;

  constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  async start(secret: string): Promise<void> {
    this.out = '';
    this.child = spawn(process.execPath, ['examples/webhook-receiver/receiver.ts'], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        WEBHOOK_SECRET: secret,
        PORT: String(this.port),
        TLS_KEY_FILE: join(this.folder, 'key.pem'),
        TLS_CERT_FILE: join(this.folder, 'cert.pem'),
        SEEN_FILE: join(this.folder, 'seen.txt'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (chunk) => (this.out += String(chunk)));
    await until('the receiver listens', () => this.out.includes('listening'));
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child!.once('close', resolve));
    this.child!.kill('SIGKILL');
    await ended;
  }
}

let folder: string;
let receiver: ExampleReceiver;
let app: TestApp;
let owner: Person;
let organizationId: string;
let webhook: MadeWebhook;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webhook-receiver-'));
  const authority = await Authority.create();
  const { key, cert } = await authority.identity(['localhost']);
  for (const [name, text] of Object.entries({ key, cert, ca: authority.pem }))
    writeFileSync(join(folder, `${name}.pem`), text);
  const port = await freePort();
  const origin = `https://localhost:${port}`;
  receiver = new ExampleReceiver(folder, port);
  app = await TestApp.start({
    ownDatabase: true,
    env: { ...LOCAL_TRIAL, EGRESS_LOCAL_PEERS: origin, EGRESS_LOCAL_CA_FILE: join(folder, 'ca.pem') },
  });
  owner = await app.person();
  organizationId = await organizationOf(owner);
  webhook = await createWebhook(owner, organizationId, `${origin}/`);
});
afterAll(async () => {
  await receiver.stop();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

it('takes each event once, also after it was started again, carries out a call, and takes none that nobody signed', async () => {
  await receiver.start(webhook.secret);
  await recordEvents(app, organizationId, 2);
  await app.runJob('outbox');
  const delivered = async (count: number) => {
    await app.runJob('webhook-deliveries');
    await until(`${count} are delivered`, async () => {
      const { body } = await owner.get(`${webhook.at}/deliveries?status=delivered`);
      return body.data.length === count;
    });
  };
  await delivered(2);
  const lines = () => receiver.out.split('\n').filter((line) => line.includes(' task.ended #'));
  await until('both are printed', () => lines().length === 2);

  await receiver.stop();
  await receiver.start(webhook.secret);
  const { body } = await owner.get(`${webhook.at}/deliveries`);
  await owner.post(`${webhook.at}/deliveries/${body.data[0].id}/redeliver`);
  await delivered(3);
  expect(lines()).toEqual([]);

  const by = await proposer(app, owner, organizationId);
  const call = { kind: 'webhook_call', connectorKey: 'webhooks', toolName: webhook.id, arguments: { to: 'Ada' } };
  const action = await approved(app, owner, by, call);
  await carriedOut(app, action, 'succeeded');
  const { reference } = await actionRow(app, action);
  const calls = receiver.out.split('\n').filter((line) => line.includes(` call ${reference} {"actionId":"${action}"`));
  expect(calls).toEqual([expect.stringContaining('"arguments":{"to":"Ada"}')]);

  await receiver.stop();
  await receiver.start(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
  await owner.post(`${webhook.at}/test`);
  await app.runJob('webhook-deliveries');
  await until('it is refused', () => receiver.out.includes('refused a request that nobody signed'));
  await until('the log says so', async () => {
    const { body: log } = await owner.get(`${webhook.at}/deliveries?status=dead`);
    return log.data[0]?.attempts[0]?.status === 401;
  });
});
