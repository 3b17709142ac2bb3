import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Company } from './company.ts';
import type { Deployment } from './deployment.ts';
import { StreamReader } from './stream-reader.ts';

const READERS_OF_EACH = 2;
const PIECES = 8;
const BETWEEN_PIECES_MS = 25;
const READ_LIMIT_MS = 60_000;

/** Chats that are asked, answered and read at once: each answer must reach every reader whole. */
export class Conversations {
  private readonly readers: StreamReader[] = [];
  /** By the id of the answer. */
  private readonly written = new Map<string, { readonly chatPath: string; readonly text: string }>();
  private readonly problems: string[] = [];
  private readonly deployment: Deployment;

  constructor(deployment: Deployment) {
    this.deployment = deployment;
  }

  get answers(): number {
    return this.written.size;
  }

  get reconnects(): number {
    return this.readers.reduce((sum, reader) => sum + reader.reconnects, 0);
  }

  /** Follows the chat of each company with several readers until the signal aborts. */
  async read(companies: readonly Company[], until: AbortSignal): Promise<void> {
    const { bases, traffic } = this.deployment;
    for (const { id, chatId } of companies)
      for (let n = 0; n < READERS_OF_EACH; n += 1)
        this.readers.push(new StreamReader(bases, eventsPath(id, chatId), this.deployment.tokenOf('owner'), traffic));
    await Promise.all(this.readers.map((reader) => reader.follow(until)));
  }

  /** Asks in the chat of each company and writes the answers, as person and as runtime, until the signal aborts. */
  async write(companies: readonly Company[], until: AbortSignal): Promise<void> {
    await Promise.all(
      companies.map((company) =>
        this.writeIn(company, until).catch((error: Error) =>
          this.problems.push(`a writer of answers: ${error.message}`),
        ),
      ),
    );
  }

  /** What readers have not got as it was written. */
  findings(): { lost: string[]; wrong: string[] } {
    const lost: string[] = [];
    const wrong = [...this.problems];
    for (const [n, reader] of this.readers.entries()) {
      wrong.push(...reader.broken.map((each) => `reader ${n}: ${each}`));
      for (const [id, { chatPath, text }] of this.written)
        if (reader.path === chatPath && reader.texts.get(id) !== text)
          lost.push(`reader ${n} has ${reader.texts.get(id)} of ${id}, not ${text}`);
    }
    return { lost, wrong };
  }

  private async writeIn({ id: organizationId, chatId }: Company, until: AbortSignal): Promise<void> {
    const workerId = `writer-${organizationId}`;
    const client = this.deployment.client(workerId);
    const bootId = randomUUID();
    const post = (path: string, body: object) =>
      this.deployment.post(client, 'runtime', `/internal/chat-turns/${path}`, body);
    for (let n = 0; !until.aborted; n += 1) {
      const question = {
        author: { kind: 'human', displayName: 'Owner' },
        parts: [{ kind: 'text', text: `Question ${n}` }],
      };
      const asked = await this.deployment
        .post(client, 'owner', `/organizations/${organizationId}/chats/${chatId}/messages`, question)
        .catch(() => undefined);
      if (!asked) continue;
      let turns: { turnId: string; leaseToken: string }[] = [];
      while (turns.length === 0) {
        const wanted = { workerId, bootId, limit: 1, waitSeconds: 1, organizationIds: [organizationId] };
        turns = await post('claim', { ...wanted, requestKey: randomUUID() }).catch(() => []);
      }
      const [{ turnId, leaseToken }] = turns as [{ turnId: string; leaseToken: string }];
      const onTurn = (call: string, rest: object) => post(`${turnId}/${call}`, { organizationId, leaseToken, ...rest });
      let whole = '';
      await onTurn('running', { harness: 'rolling', model: 'none' });
      for (let piece = 0; piece < PIECES; piece += 1) {
        const text = `Piece ${piece} of ${n}. `;
        await onTurn('append', { partId: 'p1', offset: whole.length, text });
        whole += text;
        await wait(BETWEEN_PIECES_MS);
      }
      await onTurn('complete', { usage: { inputTokens: 0, outputTokens: 0, toolCalls: 0, costMinorUnits: 0 } });
      const chatPath = eventsPath(organizationId, chatId);
      this.written.set(turnId, { chatPath, text: whole });
      await this.untilRead(chatPath, turnId, whole);
    }
  }

  /** Waits until every reader of the chat has this answer: one who was away for longer begins with the next one. */
  private async untilRead(chatPath: string, id: string, text: string): Promise<void> {
    const deadline = performance.now() + READ_LIMIT_MS;
    const isRead = () => this.readers.every((reader) => reader.path !== chatPath || reader.texts.get(id) === text);
    while (!isRead() && performance.now() < deadline) await wait(20);
  }
}

function eventsPath(organizationId: string, chatId: string): string {
  return `/organizations/${organizationId}/chats/${chatId}/events`;
}
