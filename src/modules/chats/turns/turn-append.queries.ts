import { type Placed, sql, type Statement } from '../../../kernel/database/index.ts';
import { MESSAGE_LIMITS } from '../messages/message.policy.ts';
import { turnMoves } from '../messages/message.state.ts';
import { fenceArrays, FENCED_TURNS, type TurnFence, type TurnStateRow } from './turn-lease.queries.ts';

export interface Append extends TurnFence {
  readonly partId: string;
  /** Code points. */
  readonly offset: number;
  readonly text: string;
}

/** What became of an append; all but `appended` change nothing. */
export type AppendVerdict = 'appended' | 'repeated' | 'gap' | 'other_text' | 'answer_too_long' | 'too_many_parts';

export interface AppendRow extends Placed, TurnStateRow {
  readonly verdict: AppendVerdict;
  /** Code points of the part after the call. */
  readonly length: number;
}

/** Locks each turn in a statement of its own, so that the next one reads all that was appended before. */
export function appendLocks(calls: readonly Append[]): Statement {
  return sql`
    select from unnest(${fenceArrays(calls)}) c(organization_id, turn_id, token_hash)
    join message m on m.organization_id = c.organization_id and m.id = c.turn_id and m.lease_token_hash = c.token_hash
    order by m.organization_id, m.id for no key update of m`;
}

const MAX_BYTES = sql.raw(String(MESSAGE_LIMITS.answerBytes));
const MAX_PARTS = sql.raw(String(MESSAGE_LIMITS.answerParts));

/** The chunks of the part that a call of `c` appends to, as `k`. */
const CHUNKS = sql`message_chunk k where k.organization_id = c.organization_id and k.message_id = c.turn_id
          and k.draft = c.draft and k.part_id = c.part_id`;

/** Whether the text of `c` is stored at its offset already; reads the chunks that it covers. */
const IS_STORED = sql`(
          select substring(string_agg(k.text, '' order by k.part_offset)
            from c.part_offset - min(k.part_offset) + 1 for char_length(c.text)) = c.text
          from ${CHUNKS} and k.part_offset < c.part_offset + char_length(c.text)
            and k.part_offset >= (select max(k.part_offset) from ${CHUNKS} and k.part_offset <= c.part_offset))`;

/** The number of parts of the draft of `c`, walked from one to the next. */
const PARTS = sql`(
          with recursive p(part_id, nth) as (
            (select k.part_id, 1 from message_chunk k
             where k.organization_id = c.organization_id and k.message_id = c.turn_id and k.draft = c.draft
             order by k.part_id limit 1)
            union all
            select (select k.part_id from message_chunk k
                    where k.organization_id = c.organization_id and k.message_id = c.turn_id and k.draft = c.draft
                      and k.part_id > p.part_id
                    order by k.part_id limit 1), p.nth + 1
            from p where p.part_id is not null and p.nth <= ${MAX_PARTS})
          select count(p.part_id) from p)`;

const APPENDED_STATUS = sql.raw(turnMoves.moved('append', 'm.status'));

/**
 * Appends, with a snapshot taken behind the locks: a row for the text, and the turn's own row, in place but for the
 * first one. It reads and writes no more than the appended text asks for, however long the answer is. No row is a
 * lapsed lease.
 *
 * With its locks and the role three statements, one round trip, one commit, for all that arrive together.
 */
export function appendTexts(calls: readonly Append[]): Statement<AppendRow> {
  return sql`
    -- Calls whose fence holds, each with its turn.
    with calls as materialized (
      select c.*, m.chat_id, m.status, m.revision, m.draft, m.text_bytes, m.cancel_requested_at,
        octet_length(c.text) as bytes
      from unnest(${fenceArrays(calls)}, ${calls.map(({ partId }) => partId)}::text[],
          ${calls.map(({ offset }) => offset)}::int[], ${calls.map(({ text }) => text)}::text[])
        with ordinality c(organization_id, turn_id, token_hash, part_id, part_offset, text, place)
      join ${FENCED_TURNS}),
    -- How long the part is that each appends to.
    parts as materialized (
      select c.*, last.length as known, coalesce(last.length, 0) as length
      from calls c left join lateral (
        select k.part_offset + char_length(k.text) as length from ${CHUNKS}
        order by k.part_offset desc limit 1) last on true),
    -- Whether the text is new there, and fits.
    judged as materialized (
      select c.*, case
        when c.part_offset > c.length then 'gap'
        when c.part_offset < c.length then case when ${IS_STORED} then 'repeated' else 'other_text' end
        when c.text_bytes + c.bytes > ${MAX_BYTES} then 'answer_too_long'
        when c.known is null and ${PARTS} >= ${MAX_PARTS} then 'too_many_parts'
        else 'appended' end as verdict
      from parts c),
    -- Writes what is appended.
    stored as (
      insert into message_chunk (organization_id, message_id, draft, part_id, part_offset, revision, text)
      select j.organization_id, j.turn_id, j.draft, j.part_id, j.part_offset, j.revision + 1, j.text
      from judged j where j.verdict = 'appended'),
    moved as (
      update message m set status = ${APPENDED_STATUS}, attempt = m.attempt + (m.status = 'pending')::int,
        revision = m.revision + 1, text_bytes = m.text_bytes + j.bytes, updated_at = clock_timestamp()
      from judged j where j.verdict = 'appended' and m.organization_id = j.organization_id and m.id = j.turn_id
      returning j.place, m.status, m.revision)
    select j.place, j.verdict, j.chat_id as "chatId", coalesce(moved.status, j.status) as status,
      coalesce(moved.revision, j.revision) as revision, j.cancel_requested_at is not null as "cancelRequested",
      j.length + case when j.verdict = 'appended' then char_length(j.text) else 0 end as length
    from judged j left join moved on moved.place = j.place`;
}
