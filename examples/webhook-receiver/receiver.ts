/**
 * A receiver of webhooks. It shows authors how to verify what arrives, how to take an event once although it may come twice,
 * that its answer comes before the work, and that a call of an approved action is answered by what became of it.
 *
 *   WEBHOOK_SECRET=whsec_… TLS_KEY_FILE=key.pem TLS_CERT_FILE=cert.pem npm run receiver
 *
 * Prints a line for each new event and call. Further secrets, comma-separated, are for a rotation that is under way.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

interface Event {
  readonly type: string;
  readonly timestamp: string;
  readonly sequence?: number;
  readonly data: Readonly<Record<string, unknown>>;
}

const { WEBHOOK_SECRET, TLS_KEY_FILE, TLS_CERT_FILE, SEEN_FILE = 'seen-events.txt', PORT = '8443' } = process.env;
if (!WEBHOOK_SECRET || !TLS_KEY_FILE || !TLS_CERT_FILE) {
  console.error('Usage: WEBHOOK_SECRET=whsec_… TLS_KEY_FILE=key.pem TLS_CERT_FILE=cert.pem npm run receiver');
  process.exit(2);
}
const webhooks = WEBHOOK_SECRET.split(',').map((secret) => new Webhook(secret.trim()));

/** Ids of events that were taken, also before a restart. A database would remember them in the transaction of the work. */
const seen = new Set(existsSync(SEEN_FILE) ? readFileSync(SEEN_FILE, 'utf8').split('\n') : []);
let lastSequence: number | undefined;

/** The event, if one of the secrets signed these very bytes within the last minutes; throws otherwise. */
function verify(body: Buffer, { headers }: IncomingMessage): Event {
  let failure: unknown;
  for (const webhook of webhooks) {
    try {
      return webhook.verify(body, headers as Record<string, string>) as Event;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function receive(request: IncomingMessage): Promise<number> {
  // The signature is over the bytes as they came: parse them afterwards.
  const event = verify(await buffer(request), request);
  const id = String(request.headers['webhook-id']);
  if (seen.has(id)) return 200;
  // Remembered before the answer: whoever gets no answer sends again.
  seen.add(id);
  appendFileSync(SEEN_FILE, `${id}\n`);
  if (event.type === 'action.call') return carryOut(event);
  take(event);
  return 200;
}

/**
 * Does what people approved, before the answer, which decides what the action becomes: 2xx that it was done, 422 that it was not,
 * and 500 or silence that a person has to find out. It never comes again. Answer 422 if you carry out no calls.
 */
function carryOut({ timestamp, data }: Event): number {
  console.log(`${timestamp} call ${String(data.reference)} ${JSON.stringify(data)}`);
  return 200;
}

function take({ type, timestamp, sequence, data }: Event): void {
  if (sequence !== undefined && lastSequence !== undefined && sequence > lastSequence + 1)
    console.log(`${sequence - lastSequence - 1} events before this one are missing or still to come`);
  if (sequence !== undefined) lastSequence = Math.max(lastSequence ?? 0, sequence);
  console.log(`${timestamp} ${type} #${sequence ?? '-'} ${JSON.stringify(data)}`);
}

const server = createServer(
  { key: readFileSync(TLS_KEY_FILE), cert: readFileSync(TLS_CERT_FILE) },
  (request, response) =>
    void receive(request).then(
      (status) => response.writeHead(status).end(),
      (error: unknown) => {
        const isForged = error instanceof WebhookVerificationError;
        console.error(isForged ? 'refused a request that nobody signed' : error);
        response.writeHead(isForged ? 401 : 500).end();
      },
    ),
);
server.listen(Number(PORT), () => {
  const address = server.address();
  console.log(`listening on port ${typeof address === 'object' && address ? address.port : PORT}`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
