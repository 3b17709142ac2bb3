import { Injectable } from '@nestjs/common';
import { Bus } from '../../kernel/bus/index.ts';

const MESSAGE = 'chat.message';
const TURN = 'chat.turn';
const DELETED = 'chat.deleted';

/** What a bus carries in a message, as JSON; longer texts are read by whoever streams them. */
const MAX_PAYLOAD_BYTES = 7_000;

/** Where a message stands: its revision, and what was appended with it. */
export interface MessageSignal {
  readonly organizationId: string;
  readonly chatId: string;
  readonly messageId: string;
  readonly revision: number;
  /** Null for any change but an append, and for an append that was too long to tell. */
  readonly delta: { readonly partId: string; readonly offset: number; readonly text: string } | null;
}

export interface ChatSignal {
  readonly organizationId: string;
  readonly chatId: string;
}

/**
 * Tells every process what happened in chats. Hints: they may be lost or come late, so whoever follows a chat also looks
 * by itself now and then, and after every gap. Call them after the commit.
 */
@Injectable()
export class ChatSignalsService {
  constructor(private readonly bus: Bus) {}

  /** An assistant message has a new revision. */
  message({ organizationId, chatId, messageId, revision, delta }: MessageSignal): void {
    const place = { org: organizationId, chat: chatId, message: messageId, revision };
    const told = delta === null ? place : { ...place, ...delta };
    const fits = delta === null || Buffer.byteLength(JSON.stringify(told)) <= MAX_PAYLOAD_BYTES;
    this.bus.publish(MESSAGE, fits ? told : place);
  }

  onMessage(handler: (signal: MessageSignal) => void): void {
    this.bus.subscribe(MESSAGE, ({ org, chat, message, revision, partId, offset, text }) =>
      handler({
        organizationId: String(org),
        chatId: String(chat),
        messageId: String(message),
        revision: Number(revision),
        delta: text === undefined ? null : { partId: String(partId), offset: Number(offset), text: String(text) },
      }),
    );
  }

  /** An organization has a turn to claim. */
  turnReady(organizationId: string): void {
    this.bus.publish(TURN, { org: organizationId });
  }

  onTurnReady(handler: (organizationId: string) => void): void {
    this.bus.subscribe(TURN, ({ org }) => handler(String(org)));
  }

  deleted({ organizationId, chatId }: ChatSignal): void {
    this.bus.publish(DELETED, { org: organizationId, chat: chatId });
  }

  onDeleted(handler: (signal: ChatSignal) => void): void {
    this.bus.subscribe(DELETED, ({ org, chat }) => handler({ organizationId: String(org), chatId: String(chat) }));
  }

  onGap(handler: () => void): void {
    this.bus.onGap(handler);
  }
}
