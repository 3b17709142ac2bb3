import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';

/** Locks the chat of a turn, which comes before the turn in the order of locks. */
export function lockChatOfTurn(organizationId: string, turnId: string): Statement {
  const organization = sql.value(organizationId);
  return sql`
    select from chat c
    where c.organization_id = ${organization}
      and c.id = (select m.chat_id from message m where m.organization_id = ${organization} and m.id = ${turnId})
    for no key update`;
}

/** A text that a statement uses more than once, perhaps null. */
export function textOrNull(text: string | undefined): Sql {
  return sql.shared(sql`${text ?? null}::text`);
}

/** What a turn changes in its chat, each perhaps null. */
interface ChatOfTurnUpdate {
  readonly title: Sql;
  readonly summary: Sql;
  readonly session: Sql;
}

/**
 * Changes the chat of a turn in `of`, where there is anything to change; it was locked before. The session is kept
 * unless the organization's epoch has advanced since the claim.
 */
export function updateChatOfTurn(of: Sql, { title, summary, session }: ChatOfTurnUpdate): Sql {
  return sql`
      update chat c set title = coalesce(${title}, c.title), summary = coalesce(${summary}, c.summary),
        harness_session_id = case when t.keeps then ${session} else c.harness_session_id end,
        harness_session_epoch = case when t.keeps then t.authorization_epoch else c.harness_session_epoch end,
        updated_at = clock_timestamp()
      from (select t.organization_id, t.chat_id, t.authorization_epoch,
              ${session} is not null and o.authorization_epoch = t.authorization_epoch as keeps
            from ${of} t join organization o on o.id = t.organization_id) t
      where c.organization_id = t.organization_id and c.id = t.chat_id
        and (t.keeps or coalesce(${title}, ${summary}) is not null)`;
}
