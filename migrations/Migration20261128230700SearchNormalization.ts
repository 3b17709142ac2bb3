import { Migration } from '@mikro-orm/migrations';

/**
 * One form of text for what is searched and what is sought. Made while the service works on, so outside a transaction: each
 * index begins with the removal of what an attempt that was cut off left behind. The release before calls `search_chats`
 * too, and finds by the new form from then on.
 */
export class Migration20261128230700SearchNormalization extends Migration {
  override name = 'Migration20261128230700SearchNormalization';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // Case by Unicode, whatever the database's locale is: upper case first, for letters with two small forms (ς, σ).
    this.addSql(`create or replace function fold_case(given text) returns text
      language sql immutable parallel safe as $$
        select replace(lower(upper(given collate pg_catalog.pg_c_utf8) collate pg_catalog.pg_c_utf8), 'ß', 'ss')
      $$;`);
    // Composed (NFC), case folded, white space of any length one space. In an index, so it may never answer otherwise.
    // Composing costs the square of a run of combining marks (measured: 184 ms for 4,000, 2.3 s for 16,000), so a long text
    // is composed word by word, and words beyond 200 characters stay as they are.
    this.addSql(`create or replace function search_text(given text) returns text
      language plpgsql immutable parallel safe as $$
        declare
          form text := given;
        begin
          if octet_length(given) = char_length(given) then
            form := lower(given collate pg_catalog.pg_c_utf8);
          else
            if given is not nfc normalized then
              form := case when char_length(given) <= 200 then normalize(given, nfc) else (
                select string_agg(case when char_length(word) <= 200 then normalize(word, nfc) else word end, ' ' order by place)
                from regexp_split_to_table(given collate pg_catalog.pg_c_utf8, '\\s+') with ordinality w(word, place)) end;
            end if;
            form := replace(lower(upper(form collate pg_catalog.pg_c_utf8) collate pg_catalog.pg_c_utf8), 'ß', 'ss');
          end if;
          return btrim(regexp_replace(form collate pg_catalog.pg_c_utf8, '\\s{2,}|[^\\S ]', ' ', 'g'));
        end
      $$;`);
    this.addSql(`drop index concurrently if exists "chat_title_search_text";`);
    this.addSql(
      `create index concurrently "chat_title_search_text" on chat using gin (organization_id, search_text(title) gin_trgm_ops);`,
    );
    this.addSql(`drop index concurrently if exists "message_search_text";`);
    this.addSql(
      `create index concurrently "message_search_text" on message using gin (organization_id, search_text(message_text(parts)) gin_trgm_ops);`,
    );
    // One or two characters have no trigram, so every message is compared: as it is, with the sought text composed and
    // decomposed. (Measured among 15,000 messages: 1.6 s where the form of each is made for that, 0.2 s so.)
    this.addSql(`create or replace function search_chats(wanted text) returns setof uuid
      language sql stable security definer set search_path = public, pg_temp as $$
        select c.id from chat c
        where c.organization_id = nullif(current_setting('app.org', true), '')::uuid
          and search_text(c.title) like
            (select '%' || regexp_replace(search_text(wanted), '([\\\\%_])', '\\\\\\1', 'g') || '%')
        union
        select m.chat_id from message m
        where m.organization_id = nullif(current_setting('app.org', true), '')::uuid
          and (select char_length(search_text(wanted)) > 2)
          and search_text(message_text(m.parts)) like
            (select '%' || regexp_replace(search_text(wanted), '([\\\\%_])', '\\\\\\1', 'g') || '%')
        union
        select m.chat_id from message m
        where m.organization_id = nullif(current_setting('app.org', true), '')::uuid
          and (select char_length(search_text(wanted)) <= 2)
          and message_text(m.parts) collate pg_catalog.pg_c_utf8 ilike any (array(
            select distinct '%' || regexp_replace(form, '([\\\\%_])', '\\\\\\1', 'g') || '%'
            from unnest(array[normalize(btrim(wanted), nfc), normalize(btrim(wanted), nfd)]) form))
      $$;`);
    // The database's locale decided what these found.
    this.addSql(`drop index concurrently if exists "chat_title_search";`);
    this.addSql(`drop index concurrently if exists "message_search";`);
  }
}
