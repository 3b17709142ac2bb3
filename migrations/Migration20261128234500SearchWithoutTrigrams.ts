import { Migration } from '@mikro-orm/migrations';

/**
 * Searches that no trigram helps stay quick, and texts in scripts without spaces are composed. Made while the service works
 * on, so outside a transaction: `reindex` begins with the removal of what an attempt that was cut off left behind. The
 * release before calls `search_chats` alike.
 */
export class Migration20261128234500SearchWithoutTrigrams extends Migration {
  override name = 'Migration20261128234500SearchWithoutTrigrams';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // As before, but letters that are composed in any text are told by a regular expression, in a tenth of the time (14 to 1
    // us a kB), and only a text with 200 characters in a row that may all be marks is composed word by word: any other has
    // a letter that begins anew within 200, so that composing it at once takes 13 ms for 100,000 characters. Words of
    // Japanese are sentences, and those beyond 200 characters were not composed.
    this.addSql(`create or replace function search_text(given text) returns text
      language plpgsql immutable parallel safe as $$
        declare
          form text := given;
        begin
          if octet_length(given) = char_length(given) then
            form := lower(given collate pg_catalog.pg_c_utf8);
          else
            if given collate pg_catalog.pg_c_utf8 ~
              '[^\\u0001-\\u02FF\\u0370-\\u0373\\u0376-\\u037D\\u038A-\\u0482\\u048A-\\u052F\\u2010-\\u203A\\u3001-\\u3029\\u3041-\\u3096\\u30A1-\\u30FE\\u4E00-\\u9FFF\\uAC00-\\uD7A3]'
              and given is not nfc normalized then
              form := case
                when char_length(given) <= 200 or given collate pg_catalog.pg_c_utf8 !~
                  '[^\\u0001-\\u02FF\\u0370-\\u0482\\u048A-\\u0556\\u0E01-\\u0E2E\\u1100-\\u1112\\u3001-\\u3029\\u3041-\\u3096\\u30A1-\\u30FE\\u4E00-\\u9FFF\\uAC00-\\uD7A3]{200}'
                  then normalize(given, nfc)
                else (
                  select string_agg(case when char_length(word) <= 200 then normalize(word, nfc) else word end, ' ' order by place)
                  from regexp_split_to_table(given collate pg_catalog.pg_c_utf8, '\\s+') with ordinality w(word, place)) end;
            end if;
            form := replace(lower(upper(form collate pg_catalog.pg_c_utf8) collate pg_catalog.pg_c_utf8), 'ß', 'ss');
          end if;
          return btrim(regexp_replace(form collate pg_catalog.pg_c_utf8, '\\s{2,}|[^\\S ]', ' ', 'g'));
        end
      $$;`);
    // Whether a text has three letters in a row, or two beside something else, as pg_trgm takes letters. That goes by the
    // database's LC_CTYPE: with C, as the embedded cluster has it, those of ASCII alone.
    this.addSql(`create or replace function has_trigram(form text) returns boolean
      language sql stable parallel safe as $$
        select string_agg(case when show_trgm(letter) = '{}' then ' ' else 'x' end, '' order by place) like any (array['%xxx%', '%xx %', '% xx%'])
        from regexp_split_to_table(form, '') with ordinality s(letter, place)
      $$;`);
    // A regular expression, for any case, of every text whose form holds the given one: each letter composed, decomposed,
    // or one of its two marks apart (as keyboards for Vietnamese write it). What follows may not be a mark of its last letter.
    this.addSql(`create or replace function search_pattern(form text) returns text
      language sql immutable parallel safe as $$
        select replace(string_agg(
          case
            when letter = ' ' then '\\s+'
            when letter = 'σ' then '[σς]'
            when letter = 'i' then '[iİı]'
            when apart = letter then regexp_replace(letter, '([].*+?^$\\{\\}()|\\\\[])', '\\\\\\1')
            when char_length(apart) = 3 then concat('(?:', letter, '|', apart, '|', left(apart, 1), right(apart, 1), substr(apart, 2, 1),
              '|', normalize(left(apart, 2), nfc), right(apart, 1), '|', normalize(left(apart, 1) || right(apart, 1), nfc), substr(apart, 2, 1), ')')
            else concat('(?:', letter, '|', apart, ')')
          end, '' order by place), 'ss', '(?:ss|ß|ẞ)') || '(?![\\u0300-\\u036F\\u1161-\\u1175\\u11A8-\\u11C2\\u3099\\u309A])'
        from regexp_split_to_table(form, '') with ordinality s(letter, place), normalize(letter, nfd) apart
      $$;`);
    // Without a trigram every message is compared, as it is: making the form of each takes four times as long. (Measured
    // among 25,000 messages of 1 kB: 2.0 s for Cyrillic and 0.6 s for "a b" with forms, 0.3 s so.)
    this.addSql(`create or replace function search_chats(wanted text) returns setof uuid
      language sql stable security definer set search_path = public, pg_temp as $$
        select c.id from chat c
        where c.organization_id = nullif(current_setting('app.org', true), '')::uuid
          and search_text(c.title) like
            (select '%' || regexp_replace(search_text(wanted), '([\\\\%_])', '\\\\\\1', 'g') || '%')
        union
        select m.chat_id from message m
        where m.organization_id = nullif(current_setting('app.org', true), '')::uuid
          and (select has_trigram(search_text(wanted)))
          and search_text(message_text(m.parts)) like
            (select '%' || regexp_replace(search_text(wanted), '([\\\\%_])', '\\\\\\1', 'g') || '%')
        union
        select m.chat_id from message m
        where m.organization_id = nullif(current_setting('app.org', true), '')::uuid
          and (select not has_trigram(search_text(wanted)))
          and message_text(m.parts) collate pg_catalog.pg_c_utf8 ~* (select search_pattern(search_text(wanted)))
      $$;`);
    this.addSql(`drop index concurrently if exists "message_search_text_ccnew";`);
    this.addSql(`reindex index concurrently "message_search_text";`);
  }
}
