import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { MessageDto } from '../../src/modules/chats/messages/message.dto.ts';
import type { TestApp } from './test-app.ts';
import { until } from './until.ts';

export interface Received {
  readonly id: string;
  readonly event: string;
  readonly data: {
    readonly type: string;
    readonly message?: MessageDto;
    readonly messageId?: string;
    readonly revision?: number;
    readonly partId?: string;
    readonly offset?: number;
    readonly text?: string;
    readonly reason?: string;
    readonly id?: string;
    readonly verb?: string;
    readonly at?: string | null;
    readonly subject?: { readonly kind: string; readonly id: string; readonly label: string };
    readonly taskId?: string;
    readonly rootTaskId?: string;
    readonly status?: string;
  };
}

/** Of the events of a chat. */
export function eventsPath({ organizationId, chatId }: { organizationId: string; chatId: string }): string {
  return `/organizations/${organizationId}/chats/${chatId}/events`;
}

interface Options {
  readonly token: string | undefined;
  readonly lastEventId?: string | undefined;
}

/** The address of an application that listens from now on. */
export async function listening(app: TestApp): Promise<string> {
  await app.app.listen(0, '127.0.0.1');
  return (await app.app.getUrl()).replace('[::1]', '127.0.0.1');
}

/** A client of an event stream, over a connection of its own; or the refusal that it got. */
export class EventReader {
  readonly events: Received[] = [];
  readonly comments: string[] = [];
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  retryMs: number | undefined;
  /** What an `EventSource` would send when it comes back: the newest id, also of a block without an event. */
  lastEventId: string | undefined;
  ended = false;
  /** All that came, where it is no event stream. */
  text = '';
  private readonly response: IncomingMessage;
  private pending = '';

  private constructor(response: IncomingMessage) {
    this.response = response;
    this.status = response.statusCode!;
    this.headers = response.headers;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.take(chunk));
    for (const end of ['end', 'error', 'close']) response.on(end, () => (this.ended = true));
  }

  /** `at` is the address of a service, or the path of the socket on which it listens. */
  static async open(at: string, path: string, { token, lastEventId }: Options): Promise<EventReader> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    const whole = { agent: false, headers };
    const call = at.startsWith('http') ? request(at + path, whole) : request({ socketPath: at, path, ...whole });
    call.end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return new EventReader(response);
  }

  get last(): Received {
    return this.events.at(-1)!;
  }

  get ids(): string[] {
    return this.events.map(({ id }) => id);
  }

  /** What came, without ids: a position also names transactions that had not ended, of other databases of the server too. */
  get told(): Received['data'][] {
    return this.events.map(({ data }) => data);
  }

  /** Waits until so many events are here. */
  async count(events: number): Promise<void> {
    await until(`${events} events are here, not ${this.events.length}`, () => this.events.length >= events);
  }

  /** Waits until this id is here. */
  async reaches(id: string): Promise<void> {
    await until(`${id} is here, not only ${this.events.at(-1)?.id}`, () => this.events.some((each) => each.id === id));
  }

  async untilEnded(): Promise<void> {
    await until('the stream has ended', () => this.ended);
  }

  /** Stops reading: what comes fills the buffers of both ends, and then waits in the service. */
  stopReading(): void {
    this.response.pause();
    this.response.socket.pause();
  }

  readOn(): void {
    this.response.socket.resume();
    this.response.resume();
  }

  close(): void {
    this.response.destroy();
  }

  private take(chunk: string): void {
    if (this.status !== 200) this.text += chunk;
    this.pending += chunk;
    const blocks = this.pending.split('\n\n');
    this.pending = blocks.pop()!;
    for (const block of blocks) this.takeBlock(block);
  }

  private takeBlock(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    if (fields.has('')) this.comments.push(fields.get('')!);
    if (fields.has('retry')) this.retryMs = Number(fields.get('retry'));
    if (fields.has('id')) this.lastEventId = fields.get('id');
    if (!fields.has('data')) return;
    const data = JSON.parse(fields.get('data')!) as Received['data'];
    this.events.push({ id: fields.get('id')!, event: fields.get('event')!, data });
  }
}

/** The answers as a client puts them together from events; throws where one does not go on from those before it. */
export function transcript(
  events: readonly Received[],
): Record<string, { status: string; text: Record<string, string>; revision: number }> {
  const messages: ReturnType<typeof transcript> = {};
  for (const { id, event, data } of events) {
    if (event !== data.type) throw new Error(`${event} carries ${data.type}`);
    if (data.message) {
      const { id: messageId, role, status, revision, parts } = data.message;
      if (role === 'user') continue;
      if (id !== `${messageId}:${revision}`) throw new Error(`${id} carries revision ${revision} of ${messageId}`);
      const before = messages[messageId];
      if (before && before.revision >= revision) throw new Error(`${id} came after ${before.revision}`);
      const text = Object.fromEntries(parts.map((part) => [part.id, part.text]));
      messages[messageId] = { status, revision, text };
      continue;
    }
    const { messageId, revision, partId, offset, text } = data as Required<typeof data>;
    const message = messages[messageId];
    const before = message?.text[partId] ?? '';
    if (id !== `${messageId}:${revision}`) throw new Error(`${id} carries revision ${revision} of ${messageId}`);
    if (message?.revision !== revision - 1) throw new Error(`${id} came after ${message?.revision}`);
    if ([...before].length !== offset) throw new Error(`${id} begins at ${offset} behind ${[...before].length}`);
    message.revision = revision;
    message.text[partId] = before + text;
    if (message.status === 'pending') message.status = 'streaming';
  }
  return messages;
}
