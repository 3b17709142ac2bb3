/**
 * A chat in the terminal. What it shows to whoever writes a client: post a message, follow the answer as it is written,
 * go on exactly where a lost connection left off, cancel.
 *
 *   OWNER_TOKEN=… node examples/chat-client/chat.ts <organization id or slug> [chat id]
 *
 * A line is a message. Ctrl-C cancels the answer that is being written, and ends the program otherwise.
 */
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

interface Part {
  readonly id: string;
  readonly kind: 'text';
  readonly text: string;
}
interface Message {
  readonly id: string;
  readonly status: 'pending' | 'streaming' | 'cancelling' | 'complete' | 'failed' | 'cancelled';
  readonly parts: readonly Part[];
  readonly error: { readonly message: string } | null;
}
type Event =
  | { readonly type: 'chat.snapshot' | 'chat.message'; readonly message: Message }
  | { readonly type: 'chat.delta'; readonly messageId: string; readonly text: string };

const { BUSINESS_RUNNER_URL: baseUrl = 'http://127.0.0.1:3000', OWNER_TOKEN: token } = process.env;
const [organization, wanted] = process.argv.slice(2);
if (!token || !organization) {
  console.error('Usage: OWNER_TOKEN=… node examples/chat-client/chat.ts <organization id or slug> [chat id]');
  process.exit(2);
}
const ACTIVE = new Set(['pending', 'streaming', 'cancelling']);
const RECONNECT_MS = 500;

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(baseUrl + path, { method, headers, body: body ? JSON.stringify(body) : null });
  const answer = (await response.json()) as { data: T; message: string };
  if (!response.ok) throw new Error(answer.message);
  return answer.data;
}

const { id: organizationId } = await call<{ id: string }>('GET', `/organizations/${organization}`);
const chats = `/organizations/${organizationId}/chats`;
const { id: chatId, title } = wanted
  ? await call<{ id: string; title: string }>('GET', `${chats}/${wanted}`)
  : await call<{ id: string; title: string }>('POST', chats, { title: 'From the terminal' });

/** The answer as it is on the screen. */
let answer: { id: string; active: boolean } | undefined;
let shown = '';
/** The last event that was shown; sent with a new connection, it makes the stream go on right behind it. */
let lastEventId = '';

const input = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ' });
input.on('line', (line) => void post(line.trim()));
input.on('SIGINT', () => void cancel());
input.on('close', () => process.exit(0));
console.log(`${title} (${chatId})`);
input.prompt();

async function post(text: string): Promise<void> {
  if (text === '') return input.prompt();
  const message = { author: { kind: 'human', displayName: 'Terminal' }, parts: [{ kind: 'text', text }] };
  // 409 while an answer is being written; what was typed is not lost, since nothing of it was taken.
  await call('POST', `${chats}/${chatId}/messages`, message).catch((error: Error) => {
    console.log(`not sent: ${error.message}`);
    input.prompt();
  });
}

async function cancel(): Promise<void> {
  if (!answer?.active) process.exit(0);
  await call('POST', `${chats}/${chatId}/messages/${answer.id}/cancel`).catch((error: Error) =>
    console.log(error.message),
  );
}

function show(event: Event): void {
  if (event.type === 'chat.delta') {
    process.stdout.write(event.text);
    shown += event.text;
    return;
  }
  // A snapshot, or another state: print what is not on the screen yet; a text that was thrown away is begun again.
  const { id, status, parts, error } = event.message;
  const text = parts.map((part) => part.text).join('\n');
  if (answer?.id !== id) shown = '';
  if (!text.startsWith(shown)) shown = '';
  process.stdout.write((shown === '' && text !== '' ? '\n' : '') + text.slice(shown.length));
  shown = text;
  const wasActive = answer?.active ?? false;
  answer = { id, active: ACTIVE.has(status) };
  if (answer.active || !wasActive) return;
  if (status !== 'complete') process.stdout.write(`\n(${status}${error ? `: ${error.message}` : ''})`);
  process.stdout.write('\n');
  input.prompt();
}

/** Reads the stream until it ends: events are separated by empty lines, a field is `name: value`. */
async function follow(): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) };
  const response = await fetch(`${baseUrl}${chats}/${chatId}/events`, { headers });
  if (!response.ok) throw new Error(`the stream answered ${response.status}`);
  let rest = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop()!;
    for (const frame of frames) {
      const fields = new Map(frame.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
      const data = fields.get('data');
      if (data === undefined) continue;
      show(JSON.parse(data) as Event);
      lastEventId = fields.get('id') ?? lastEventId;
    }
  }
}

for (;;) {
  // Whatever ended it (a restart of the service, a proxy, the network): connect again, and miss nothing.
  await follow().catch((error: Error) => console.error(`\n${error.message}`));
  await wait(RECONNECT_MS);
}
