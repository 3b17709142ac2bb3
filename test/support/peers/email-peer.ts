import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Outside } from './outside.ts';

export interface SentMail {
  readonly idempotencyKey: string;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A provider of mail as the sheet describes its interface; no more than that is known here, and nothing of it was compared with
 * the real one. Whatever the adapter should not send is a fault, and refused.
 */
export class EmailPeer {
  readonly mails: SentMail[] = [];
  readonly asked: string[] = [];
  readonly faults: string[] = [];
  domains: { id: string; name: string; status: string }[] = [];
  /** What a key may do. */
  readonly keys = new Map<string, 'full_access' | 'sending_access'>();
  /** Answers a mail in another way; it is taken all the same. */
  answering: ((mail: SentMail, response: ServerResponse) => unknown) | undefined;
  /** Answers each request. */
  refusal: Answer | undefined;

  static async start(outside: Outside): Promise<EmailPeer> {
    const peer = new EmailPeer();
    await outside.host('api.resend.com', (request, response) => peer.serve(request, response));
    return peer;
  }

  reset(): void {
    for (const list of [this.mails, this.asked, this.faults]) list.length = 0;
    this.answering = undefined;
    this.refusal = undefined;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    this.asked.push(`${request.method} ${request.url}`);
    const answer = this.refusal ?? this.answerTo(request, Buffer.concat(pieces).toString(), response);
    if (answer)
      response
        .writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
        .end(JSON.stringify(answer.body));
  }

  private answerTo(
    { method, url, headers }: IncomingMessage,
    text: string,
    response: ServerResponse,
  ): Answer | undefined {
    if (!headers['user-agent']) return this.fault('no user agent', 403);
    const key = headers.authorization?.replace(/^Bearer /, '') ?? '';
    const kind = this.keys.get(key);
    if (!kind) return named(403, 'invalid_api_key');
    if (method === 'GET' && url === '/domains')
      return kind === 'full_access'
        ? { status: 200, body: { object: 'list', data: this.domains } }
        : named(401, 'restricted_api_key');
    if (method !== 'POST' || url !== '/emails') return this.fault(`${method} ${url}`, 404);
    const body = JSON.parse(text) as Record<string, unknown>;
    const idempotencyKey = headers['idempotency-key'];
    const unknown = Object.keys(body).filter((field) => !FIELDS.has(field));
    if (typeof idempotencyKey !== 'string' || unknown.length > 0)
      return this.fault(`a mail with ${unknown.join()}`, 422);
    const from = String(body['from']).replace(/^.*<|>$/g, '');
    if (!this.domains.some(({ name, status }) => status === 'verified' && from.endsWith(`@${name}`)))
      return named(403, 'validation_error');
    const mail = { idempotencyKey, body };
    if (this.mails.some((each) => each.idempotencyKey === idempotencyKey)) return this.fault('a mail twice', 409);
    this.mails.push(mail);
    if (this.answering?.(mail, response) === true) return undefined;
    return { status: 200, body: { id: `mail-${this.mails.length}` } };
  }

  private fault(what: string, status: number): Answer {
    this.faults.push(what);
    return named(status, 'not_found');
  }
}

const FIELDS = new Set(['from', 'to', 'cc', 'reply_to', 'subject', 'tags', 'text', 'html']);

function named(status: number, name: string): Answer {
  return { status, body: { statusCode: status, name, message: 'CANARY-text' } };
}
