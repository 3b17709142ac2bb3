import { setTimeout as wait } from 'node:timers/promises';
import type { Traffic } from './careful-client.ts';

interface Event {
  readonly message?: {
    readonly id: string;
    readonly revision: number;
    readonly parts: readonly { readonly text: string }[];
  };
  readonly messageId?: string;
  readonly revision?: number;
  readonly offset?: number;
  readonly text?: string;
}

/** Follows a chat over one replica after the other, going on after the last event that it got. */
export class StreamReader {
  reconnects = 0;
  /** Texts by message, put together from events. */
  readonly texts = new Map<string, string>();
  /** Events that do not go on from those before them. */
  readonly broken: string[] = [];
  private readonly revisions = new Map<string, number>();
  private readonly bases: readonly string[];
  readonly path: string;
  private readonly token: string;
  private readonly traffic: Traffic;
  private lastEventId = '';

  constructor(bases: readonly string[], path: string, token: string, traffic: Traffic) {
    this.bases = bases;
    this.path = path;
    this.token = token;
    this.traffic = traffic;
  }

  async follow(until: AbortSignal): Promise<void> {
    for (let turn = 0; !until.aborted; turn += 1) {
      try {
        await this.read(this.bases[turn % this.bases.length]!, until);
      } catch {
        // The replica is away, or went in the middle.
      }
      this.reconnects += 1;
      await wait(20);
    }
  }

  private async read(base: string, signal: AbortSignal): Promise<void> {
    const headers = {
      authorization: `Bearer ${this.token}`,
      ...(this.lastEventId ? { 'last-event-id': this.lastEventId } : {}),
    };
    const response = await fetch(base + this.path, { headers, signal });
    if (!response.ok) {
      this.traffic.serverErrors.push(`GET ${this.path}: ${response.status} ${await response.text()}`);
      return;
    }
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + chunk).split('\n\n');
      rest = frames.pop()!;
      for (const frame of frames) this.take(frame);
    }
  }

  private take(frame: string): void {
    const fields = new Map(frame.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
    const data = fields.get('data');
    if (data === undefined) return;
    const { message, messageId, revision, offset, text } = JSON.parse(data) as Event;
    const id = message?.id ?? messageId!;
    const at = message?.revision ?? revision!;
    const before = this.revisions.get(id);
    if (before !== undefined && (message ? at <= before : at !== before + 1))
      this.broken.push(`${fields.get('id')} came after revision ${before}`);
    this.revisions.set(id, at);
    if (message) this.texts.set(id, message.parts.map((part) => part.text).join(''));
    else {
      const whole = this.texts.get(id) ?? '';
      if ([...whole].length !== offset)
        this.broken.push(`${fields.get('id')} begins at ${offset}, not ${whole.length}`);
      this.texts.set(id, whole + text!);
    }
    this.lastEventId = fields.get('id') ?? this.lastEventId;
  }
}
