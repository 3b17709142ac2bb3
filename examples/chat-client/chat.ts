/**
 * A chat in the terminal. It shows authors of clients how to post a message so that it is taken once, follow the answer
 * as it is written, continue exactly where a connection was lost, and cancel; and how a person answers questions and approves
 * actions (`desk.ts`).
 *
 *   OWNER_TOKEN=… node examples/chat-client/chat.ts <organization id or slug> [chat id]
 *
 * A line is a message; one that begins with a slash is a command: `/inbox`, `/answer`, `/approve` and others. Ctrl-C cancels
 * the answer that is being written, and otherwise ends the program. The end of the input ends it after the answer.
 */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { Desk } from './desk.ts';
import { printable } from './printable.ts';

interface Message {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly author: { readonly displayName: string } | null;
  readonly createdAt: string;
  readonly status: 'pending' | 'streaming' | 'cancelling' | 'complete' | 'failed' | 'cancelled';
  readonly parts: readonly { readonly id: string; readonly text: string }[];
  readonly error: { readonly message: string } | null;
}
interface Posted {
  readonly userMessage: Message;
  readonly assistantMessage: Message;
}
type Event =
  | { readonly type: 'chat.snapshot' | 'chat.message'; readonly message: Message }
  | { readonly type: 'chat.delta'; readonly partId: string; readonly text: string };

const { BUSINESS_RUNNER_URL: baseUrl = 'http://127.0.0.1:3000', OWNER_TOKEN: token } = process.env;
const [organization, wanted] = process.argv.slice(2);
if (!token || !organization) {
  console.error('Usage: OWNER_TOKEN=… node examples/chat-client/chat.ts <organization id or slug> [chat id]');
  process.exit(2);
}
if (!URL.canParse(baseUrl)) quit(`BUSINESS_RUNNER_URL is no URL: ${baseUrl}`);
const ACTIVE = new Set(['pending', 'streaming', 'cancelling']);
const RECONNECT_MS = 500;
/** An outage is said when it has lasted this long. */
const SAID_AFTER_MS = 1_000;
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused',
  ENOTFOUND: 'the name of the host is not found',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: 'the host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
  UND_ERR_SOCKET: 'the connection was closed',
  ECONNRESET: 'the connection was closed',
};
let outage: { readonly since: number; said: boolean } | undefined;

/** Says an outage once, beside the conversation, which is on standard output. */
function failed(cause: string): void {
  outage ??= { since: Date.now(), said: false };
  if (outage.said || Date.now() - outage.since < SAID_AFTER_MS) return;
  outage.said = true;
  const at = new Date(outage.since).toISOString();
  console.error(`\n(cannot reach ${baseUrl} since ${at}: ${cause}; trying until it answers)`);
}

function answered(): void {
  if (outage?.said) console.error(`\n(reached again after ${Math.round((Date.now() - outage.since) / 1_000)} s)`);
  outage = undefined;
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
  return CAUSES[cause?.code ?? ''] ?? cause?.message ?? message;
}

function quit(reason: string): never {
  console.error(printable(reason));
  process.exit(1);
}

class Refusal extends Error {}

/** Repeats a call whose answer was lost; the same key makes it the same call, not a second message. */
async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const json = body ? { 'content-type': 'application/json' } : {};
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID(), ...json };
  const init = { method, headers, body: body ? JSON.stringify(body) : null };
  for (;;) {
    try {
      const response = await fetch(baseUrl + path, init);
      const text = await response.text();
      if (isFinal(response.status)) {
        answered();
        const answer = JSON.parse(text) as { data: T; message: string };
        if (response.ok) return answer.data;
        throw new Refusal(response.status === 401 ? `OWNER_TOKEN is not accepted: ${answer.message}` : answer.message);
      }
      failed(`it answers ${response.status}`);
    } catch (error) {
      if (error instanceof Refusal || error instanceof SyntaxError) throw error;
      failed(causeOf(error));
    }
    await wait(RECONNECT_MS);
  }
}

/** An answer that a repeat would not change. */
const isFinal = (status: number) => status < 500 && status !== 429;

const begun = <T>(answer: Promise<T>) => answer.catch((error: Error) => quit(`${baseUrl}: ${error.message}`));
const { id: organizationId } = await begun(call<{ id: string }>('GET', `/organizations/${organization}`));
const chats = `/organizations/${organizationId}/chats`;
const { id: chatId, title } = await begun(
  wanted
    ? call<{ id: string; title: string }>('GET', `${chats}/${wanted}`)
    : call<{ id: string; title: string }>('POST', chats, { title: 'New chat' }),
);

/** The latest answer, with the texts of its parts by id. */
let answer = { id: '', createdAt: '', active: false, parts: new Map<string, string>() };
/** The text of it that is on the screen. */
let shown = '';
/** The id of the last event that was shown; sent with a new connection, the stream continues after it. */
let lastEventId = '';
let posting = 0;
/** Messages that were posted here. */
const own = new Set<string>();
let inputEnded = false;
/** Commands, one after the other. */
let decided = Promise.resolve('');

const desk = new Desk(call, `/organizations/${organizationId}`);

/** All that the service and its agents say goes through here. */
const write = (text: string) => process.stdout.write(printable(text));
const input = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ' });
write(`${title} (${chatId})\n`);
input.prompt();
input.on('line', (line) => void (line.startsWith('/') ? command(line.trim()) : post(line.trim())));
input.on('close', () => ((inputEnded = true), next()));
// On a terminal the line reader gets Ctrl-C; otherwise it is a signal.
input.on('SIGINT', () => void cancel());
process.on('SIGINT', () => void cancel());

function next(): void {
  if (!inputEnded) input.prompt();
  else if (posting === 0 && !answer.active) process.exit(0);
}

async function post(text: string): Promise<void> {
  if (text === '') return next();
  const message = { author: { kind: 'human', displayName: 'Terminal' }, parts: [{ kind: 'text', text }] };
  posting += 1;
  try {
    const posted = await call<Posted>('POST', `${chats}/${chatId}/messages`, message);
    own.add(posted.userMessage.id);
    // The stream may have delivered the answer first.
    if (answer.id !== posted.assistantMessage.id) show({ type: 'chat.message', message: posted.assistantMessage });
  } catch (error) {
    // 409 while an answer is being written.
    write(`not sent: ${(error as Error).message}\n> `);
  }
  posting -= 1;
  if (inputEnded) next();
}

/** Decides something as the owner; the chat's agent sees nothing of it. */
async function command(line: string): Promise<void> {
  posting += 1;
  decided = decided.then(() => desk.run(line)).catch((error: Error) => `not done: ${error.message}`);
  write(`${await decided}\n`);
  posting -= 1;
  next();
}

async function cancel(): Promise<void> {
  if (!answer.active) process.exit(0);
  await call('POST', `${chats}/${chatId}/messages/${answer.id}/cancel`).catch(() => undefined);
}

function show(event: Event): void {
  if (event.type === 'chat.delta') {
    answer.parts.set(event.partId, (answer.parts.get(event.partId) ?? '') + event.text);
    return print();
  }
  const { id, role, author, createdAt, status, parts, error } = event.message;
  if (role === 'user') {
    const isOwn = own.has(id) || posting > 0;
    if (!isOwn) write(`\n${author?.displayName}: ${parts.map(({ text }) => text).join('\n')}\n`);
    return;
  }
  if (createdAt < answer.createdAt) return;
  const hadEnded = id === answer.id && !answer.active;
  if (id !== answer.id) shown = '';
  answer = { id, createdAt, active: ACTIVE.has(status), parts: new Map(parts.map((part) => [part.id, part.text])) };
  print();
  if (answer.active || hadEnded) return;
  write(status === 'complete' ? '\n' : `\n(${status}${error ? `: ${error.message}` : ''})\n`);
  next();
}

/** Prints what is not on the screen yet; prints a discarded text again from its beginning. */
function print(): void {
  const text = [...answer.parts.values()].join('\n');
  write(text.startsWith(shown) ? text.slice(shown.length) : `\n(once more)\n${text}`);
  shown = text;
}

/** Reads the stream until it ends: events are separated by empty lines, a field is `name: value`. */
async function follow(): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) };
  const response = await fetch(`${baseUrl}${chats}/${chatId}/events`, { headers });
  if (!response.ok && isFinal(response.status)) quit(`\nthe stream answered ${response.status}`);
  if (!response.ok) return failed(`it answers ${response.status}`);
  answered();
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
  // Whatever ended the stream (a restart of the service, a proxy, the network): reconnects and misses nothing.
  await follow().catch((error: unknown) => failed(causeOf(error)));
  await wait(RECONNECT_MS);
}
