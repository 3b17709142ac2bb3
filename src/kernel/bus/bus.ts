import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../../config/index.ts';
import { Database } from '../database/index.ts';
import { outsideJobs } from '../admission/index.ts';
import { runUntraced } from '../tracing/index.ts';

const CHANNEL = 'business_runner';
/** PostgreSQL refuses notifications of 8,000 bytes. */
const MAX_BYTES = 7_500;
const WINDOW_MS = 10;
const RECONNECT_MAX_MS = 5_000;
/** Interval of checks, without which a connection whose other end vanished silently would seem open for ever. */
const CHECK_MS = 15_000;
const ANSWER_LIMIT_MS = 5_000;
const VERSION = 1;

type Payload = Readonly<Record<string, string | number | boolean | null>>;
type Handler = (payload: Payload) => void;

interface Envelope {
  readonly v: number;
  readonly from: string;
  readonly topic: string;
  readonly payload: Payload;
}

/**
 * Publish and subscribe among the processes of a deployment, over LISTEN/NOTIFY. A message is a hint: it may be lost
 * while a process is disconnected, so each subscriber also has another way to find out, and is told of every gap.
 * Subscribers of the same process are served at once, without the database.
 *
 * Does not use `pg-listen` (1.7), which reconnects too, but sends each message as its own statement and reaches
 * subscribers of the same process through the database; here all messages that a process publishes within 10 ms go in
 * one statement.
 */
@Injectable()
export class Bus implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Events');
  private readonly self = randomUUID();
  private readonly handlers = new Map<string, Handler[]>();
  private readonly gapHandlers: (() => void)[] = [];
  private readonly directUrl: string;
  private waiting: string[] = [];
  private sending: Promise<void> | undefined;
  private listener: pg.Client | undefined;
  private reconnect: NodeJS.Timeout | undefined;
  private check: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    config: Config,
    private readonly database: Database,
  ) {
    this.directUrl = config.database.directUrl;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.listen(0);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearTimeout(this.reconnect);
    clearInterval(this.check);
    await this.sending;
    await this.listener?.end();
  }

  /** Publishes a message; call it after the commit that it announces. Never waits for the database. */
  publish(topic: string, payload: Payload): void {
    this.publishElsewhere(topic, payload);
    this.deliver(topic, payload);
  }

  /** Publishes to the other processes only. */
  publishElsewhere(topic: string, payload: Payload): void {
    const envelope: Envelope = { v: VERSION, from: this.self, topic, payload };
    const text = JSON.stringify(envelope);
    if (Buffer.byteLength(text) > MAX_BYTES) throw new RangeError(`A message of "${topic}" is too large.`);
    this.waiting.push(text);
    this.sending ??= this.send();
  }

  subscribe(topic: string, handler: Handler): void {
    this.handlers.set(topic, [...(this.handlers.get(topic) ?? []), handler]);
  }

  /** Calls the handler whenever messages may have been missed. */
  onGap(handler: () => void): void {
    this.gapHandlers.push(handler);
  }

  /**
   * Sends at once after a quiet window, then once per window, because each commit that notifies takes a global lock.
   */
  private async send(): Promise<void> {
    // What was published here wakes subscribers of this process first.
    await setImmediate();
    while (this.waiting.length > 0) {
      const messages = this.waiting;
      this.waiting = [];
      try {
        await this.database.notices.pool.query('select pg_notify($1, message) from unnest($2::text[]) message', [
          CHANNEL,
          messages,
        ]);
      } catch (error) {
        this.logger.warn(`${messages.length} messages were not sent: ${(error as Error).message}`);
      }
      await wait(WINDOW_MS);
    }
    this.sending = undefined;
  }

  /** Opens the process's one listening connection, and reopens it with growing pauses until that succeeds. */
  private async listen(attempt: number): Promise<void> {
    const client = new pg.Client({
      connectionString: this.directUrl,
      application_name: 'business-runner-events',
      connectionTimeoutMillis: ANSWER_LIMIT_MS,
      query_timeout: ANSWER_LIMIT_MS,
      keepAlive: true,
    });
    let lost = false;
    const lose = (error?: Error) => {
      if (lost || this.closed) return;
      lost = true;
      this.logger.warn(`not listening: ${error?.message ?? 'the connection ended'}`);
      clearInterval(this.check);
      // Not awaited, because a server that hangs does not answer.
      void client.end();
      const pauseMs = Math.min(RECONNECT_MAX_MS, 100 * 2 ** attempt);
      this.reconnect = setTimeout(() => void this.listen(attempt + 1), pauseMs).unref();
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', ({ payload }) => this.receive(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      if (this.closed) return await client.end();
      this.listener = client;
      attempt = 0;
      this.check = setInterval(() => void client.query('select 1').catch(lose), CHECK_MS).unref();
      for (const handler of this.gapHandlers) handler();
    } catch (error) {
      lose(error as Error);
    }
  }

  private receive(text: string): void {
    const envelope = parse(text);
    if (envelope && envelope.from !== this.self) this.deliver(envelope.topic, envelope.payload);
  }

  private deliver(topic: string, payload: Payload): void {
    const handlers = this.handlers.get(topic);
    if (!handlers) return;
    runUntraced(() =>
      outsideJobs(() => {
        for (const handler of handlers) handler(payload);
      }),
    );
  }
}

/** Undefined for a message of another version of this service that this one does not know. */
function parse(text: string): Envelope | undefined {
  try {
    const envelope = JSON.parse(text) as Envelope;
    return envelope.v === VERSION ? envelope : undefined;
  } catch {
    return undefined;
  }
}
