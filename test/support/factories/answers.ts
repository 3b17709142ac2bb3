import { ChatSignalsService } from '../../../src/modules/chats/chat-signals.service.ts';
import { messageRow } from './chats.ts';
import type { TestApp } from '../test-app.ts';

interface Place {
  readonly organizationId: string;
  readonly chatId: string;
}

interface Options {
  readonly partId?: string;
  /** The process that tells the others; none where null. */
  readonly by?: TestApp | null;
}

/** An assistant's answer, written as the calls of a turn leave it, and told as they tell it. */
export class Answer {
  readonly id: string;
  revision = 1;
  private readonly app: TestApp;
  private readonly place: Place;
  private draft = 1;
  private lengths = new Map<string, number>();

  private constructor(app: TestApp, place: Place, id: string) {
    this.app = app;
    this.place = place;
    this.id = id;
  }

  static async post(app: TestApp, place: Place, { by = app }: Options = {}): Promise<Answer> {
    const { organizationId, chatId } = place;
    const row = { role: 'assistant', status: 'pending' };
    const answer = new Answer(app, place, await messageRow(app, organizationId, chatId, row));
    answer.tell(by, null);
    return answer;
  }

  /** The answer to a message that was posted by a call. */
  static of(app: TestApp, place: Place, id: string): Answer {
    return new Answer(app, place, id);
  }

  get eventId(): string {
    return `${this.id}:${this.revision}`;
  }

  async append(text: string, { partId = 'p1', by = this.app }: Options = {}): Promise<void> {
    const offset = this.lengths.get(partId) ?? 0;
    this.lengths.set(partId, offset + [...text].length);
    const revision = this.revision + 1;
    await this.app.db.query(
      `with chunk as (
         insert into message_chunk (organization_id, message_id, draft, part_id, part_offset, revision, text)
         values ($1, $2, $3, $4, $5, $6, $7))
       update message set revision = $6, text_bytes = text_bytes + octet_length($7),
         status = case status when 'pending' then 'streaming' else status end
       where organization_id = $1 and id = $2`,
      [this.place.organizationId, this.id, this.draft, partId, offset, revision, text],
    );
    this.revision = revision;
    this.tell(by, { partId, offset, text });
  }

  /** Any other change; `set` is SQL. */
  async change(set: string, { by = this.app }: Options = {}): Promise<void> {
    await this.app.db.query(
      `update message m set revision = revision + 1, ${set} where organization_id = $1 and id = $2`,
      [this.place.organizationId, this.id],
    );
    this.revision += 1;
    this.tell(by, null);
  }

  /** Throws the text away, for the next attempt. */
  async retry(options: Options = {}): Promise<void> {
    this.draft += 1;
    this.lengths = new Map();
    await this.change(`status = 'pending', draft = draft + 1, text_bytes = 0, parts = '[]'`, options);
  }

  /** Ends it with the text so far. */
  complete(options: Options = {}): Promise<void> {
    const parts = `(select coalesce(jsonb_agg(jsonb_build_object('id', part_id, 'kind', 'text', 'text', text) order by part_id), '[]')
      from (select part_id, string_agg(text, '' order by part_offset) as text from message_chunk k
            where k.organization_id = m.organization_id and k.message_id = m.id and k.draft = m.draft group by part_id) p)`;
    return this.change(`status = 'complete', completed_at = clock_timestamp(), parts = ${parts}`, options);
  }

  private tell(by: TestApp | null, delta: { partId: string; offset: number; text: string } | null): void {
    by?.app.get(ChatSignalsService).message({ ...this.place, messageId: this.id, revision: this.revision, delta });
  }
}
