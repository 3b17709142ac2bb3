import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Api } from '../../examples/agent-runtime/src/api.ts';
import { freePort } from '../../src/embedded/index.ts';
import { selfSigned } from '../self-signed.ts';
import type { Memory, Webhook } from './memory.ts';

/** The receiver of webhooks on this machine, before anything listens. */
export interface Receiver {
  readonly port: number;
  readonly keyFile: string;
  readonly certFile: string;
  /**
   * What the service is told, so that it calls an address of this machine at all: one exact origin, with a certificate of its
   * own. A service with a DATABASE_URL refuses to start with these.
   */
  readonly serviceEnv: { readonly EGRESS_LOCAL_PEERS: string; readonly EGRESS_LOCAL_CA_FILE: string };
}

/** Prepares the receiver where the webhook already leads, unless somebody else listens there now. */
export async function prepareReceiver(folder: string, { known: { webhook } }: Memory): Promise<Receiver> {
  const port = webhook && (await isFree(webhook.port)) ? webhook.port : await freePort();
  const [keyFile, certFile] = [join(folder, 'receiver-key.pem'), join(folder, 'receiver-cert.pem')];
  if (!existsSync(keyFile) || !existsSync(certFile)) {
    mkdirSync(folder, { recursive: true });
    const { key, cert } = await selfSigned('localhost');
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key, { mode: 0o600 });
  }
  return {
    port,
    keyFile,
    certFile,
    serviceEnv: { EGRESS_LOCAL_PEERS: originAt(port), EGRESS_LOCAL_CA_FILE: certFile },
  };
}

/** Creates the webhook that the operator proposes to call, or finds the one of an earlier start. */
export async function openWebhook(
  api: Api,
  memory: Memory,
  organizationId: string,
  port: number,
  signal: AbortSignal,
): Promise<Webhook> {
  const { webhook } = memory.known;
  if (webhook?.port === port) return webhook;
  const { id, secret } = await api.call('post', '/organizations/{organizationId}/webhooks', {
    path: { organizationId },
    body: { url: `${originAt(port)}/`, events: ['task.ended'], description: 'The receiver of the demo' },
    signal,
  });
  const made = { id, port, secret: secret! };
  memory.learn({ webhook: made });
  return made;
}

const originAt = (port: number) => `https://localhost:${port}`;

/** Whether nobody listens on a port of this machine. */
export async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}
