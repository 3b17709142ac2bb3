import { Injectable } from '@nestjs/common';
import { Bus } from '../../kernel/bus/index.ts';

const MESSAGE = 'chat.message';
const TURN = 'chat.turn';
const DELETED = 'chat.deleted';

/** The longest message on the bus, in bytes of JSON; readers of the stream read longer texts from the database. */
const MAX_PAYLOAD_BYTES = 7_000;

/** A new revision of a message, and the text that was appended with it. */
export interface MessageSignal {
  readonly organizationId: string;
  readonly chatId: string;
  readonly messageId: string;
  readonly revision: number;
  /** Null for any change but an append, and for an append too long for the bus. */
  readonly delta: { readonly partId: string; readonly offset: number; readonly text: string } | null;
}

export interface ChatSignal {
  readonly organizationId: string;
  readonly chatId: string;
}

/**
 * Tells every process what happened in chats. Signals are hints: they may be lost or come late, so readers also check
 * the database now and then, and after every gap. Publish after the commit.
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
