import { Migration } from '@mikro-orm/migrations';

/** Chats with messages, what streams of them, and attachments; and the search over them. */
export class Migration20261128070000Chats extends Migration {
  override name = 'Migration20261128070000Chats';

  override up(): void {
    // Substrings by index: trigrams, behind the organization. Both extensions are trusted: a database's owner may make them.
    this.addSql(`create extension if not exists pg_trgm;`);
    this.addSql(`create extension if not exists btree_gin;`);
    // The text of a message's parts. In an index, so it may never answer otherwise.
    this.addSql(`create function message_text(parts jsonb) returns text
      language sql immutable strict parallel safe as $$
        select string_agg(part->>'text', E'\\n' order by place)
        from jsonb_array_elements(parts) with ordinality p(part, place)
      $$;`);

    this.addSql(
      `create table "chat" ("organization_id" uuid not null, "id" uuid not null, "title" text not null, "status" text not null default 'open', "summary" text null, "harness_session_id" text null, "harness_session_epoch" int null, "pinned_task_ids" uuid[] not null default '{}', "is_onboarding_chat" boolean not null default false, "last_message_at" timestamptz(6) null, "archived_at" timestamptz(6) null, "deleted_at" timestamptz(6) null, "created_at" timestamptz(6) not null default clock_timestamp(), "updated_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(`create index chat_title_search on chat using gin (organization_id, title gin_trgm_ops);`);
    this.addSql(`create index chat_deleted on chat (deleted_at, organization_id, id) where deleted_at is not null;`);
    this.addSql(`create unique index "chat_of_onboarding" on "chat" ("organization_id") where is_onboarding_chat;`);

    this.addSql(
      `create table "message" ("organization_id" uuid not null, "id" uuid not null, "chat_id" uuid not null, "reply_to_message_id" uuid null, "role" text not null, "status" text not null, "revision" int not null default 1, "author" jsonb null, "parts" jsonb not null default '[]', "error" jsonb null, "usage" jsonb null, "completed_at" timestamptz(6) null, "agent_profile_id" uuid null, "leased" boolean not null default false, "lease_token_hash" bytea null, "lease_expires_at" timestamptz(6) null, "heartbeat_at" timestamptz(6) null, "capability_expires_at" timestamptz(6) null, "worker_id" text null, "boot_id" uuid null, "claim_request_key" text null, "first_claimed_at" timestamptz(6) null, "generation" int not null default 0, "attempt" int not null default 0, "authorization_epoch" int null, "catalog_revision" text null, "harness" text null, "model" text null, "cancel_requested_at" timestamptz(6) null, "draft" int not null default 1, "text_bytes" int not null default 0, "chunks_expire_at" timestamptz(6) null, "final_digest" text null, "final_answer" jsonb null, "created_at" timestamptz(6) not null default clock_timestamp(), "updated_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(`create index "message_by_chat" on "message" ("organization_id", "chat_id", "created_at", "id");`);
    this.addSql(
      `create index message_claimable on message (organization_id, created_at, id) where status = 'pending' and not leased;`,
    );
    this.addSql(`create index message_leased on message (organization_id, id) where leased;`);
    this.addSql(`create index message_claimed on message (worker_id, claim_request_key) where leased;`);
    this.addSql(
      `create index message_cancelling on message (cancel_requested_at, organization_id, id) where status = 'cancelling';`,
    );
    this.addSql(
      `create index message_chunks_expire on message (chunks_expire_at, organization_id, id) where chunks_expire_at is not null;`,
    );
    this.addSql(
      `create index message_search on message using gin (organization_id, message_text(parts) gin_trgm_ops);`,
    );
    this.addSql(
      `create unique index "message_active" on "message" ("organization_id", "chat_id") where status in ('pending', 'streaming', 'cancelling');`,
    );

    this.addSql(
      `create table "message_chunk" ("organization_id" uuid not null, "message_id" uuid not null, "draft" int not null, "part_id" text collate "C" not null, "part_offset" int not null, "revision" int not null, "text" text not null, primary key ("organization_id", "message_id", "draft", "part_id", "part_offset"));`,
    );
    this.addSql(
      `create unique index message_chunk_by_revision on message_chunk (organization_id, message_id, revision);`,
    );

    this.addSql(
      `create table "attachment" ("organization_id" uuid not null, "chat_id" uuid not null, "id" uuid not null, "version" int not null default 1, "file_name" text not null, "media_type" text not null, "size_bytes" bigint not null, "sha256" text not null, "object_key" text not null, "created_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "chat_id", "id"));`,
    );

    this.addSql(
      `alter table "chat" add constraint "chat_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "chat" add constraint "chat_status_check" check ("status" in ('open', 'archived'));`);
    this.addSql(`alter table "chat" enable row level security;`);
    this.addSql(`alter table "chat" force row level security;`);
    this.addSql(`create policy "owner_all" on "chat" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "chat" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "chat" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "message" add constraint "message_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "message" add constraint "message_organization_id_chat_id_foreign" foreign key ("organization_id", "chat_id") references "chat" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "message" add constraint "message_user_complete" check (role = 'assistant' or status = 'complete');`,
    );
    this.addSql(
      `alter table "message" add constraint "message_lease" check (not leased or (status in ('pending', 'streaming', 'cancelling') and lease_expires_at is not null and lease_token_hash is not null));`,
    );
    this.addSql(`alter table "message" add constraint "message_role_check" check ("role" in ('user', 'assistant'));`);
    this.addSql(
      `alter table "message" add constraint "message_status_check" check ("status" in ('pending', 'streaming', 'cancelling', 'complete', 'failed', 'cancelled'));`,
    );
    this.addSql(`alter table "message" enable row level security;`);
    this.addSql(`alter table "message" force row level security;`);
    this.addSql(`create policy "owner_all" on "message" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "message" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "message" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "message_chunk" add constraint "message_chunk_organization_id_message_id_foreign" foreign key ("organization_id", "message_id") references "message" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "message_chunk" enable row level security;`);
    this.addSql(`alter table "message_chunk" force row level security;`);
    this.addSql(`create policy "owner_all" on "message_chunk" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "message_chunk" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "message_chunk" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "attachment" add constraint "attachment_organization_id_chat_id_foreign" foreign key ("organization_id", "chat_id") references "chat" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "attachment" enable row level security;`);
    this.addSql(`alter table "attachment" force row level security;`);
    this.addSql(`create policy "owner_all" on "attachment" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "attachment" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    // What each role may touch; row-level security above says which rows. Locking a row takes UPDATE.
    this.addSql(`grant select, insert, update, delete on chat, message to br_app;`);
    this.addSql(`grant select, insert, delete on message_chunk, attachment to br_app;`);
    // Claims take turns across organizations, and appends and beats of many turns share a transaction; they reach no text
    // but that of the chunks. Sweeps find what has lapsed, ended or been deleted; it is then moved inside its organization,
    // but for the chunks, which go as they are.
    this.addSql(`grant select (authorization_epoch) on organization to br_dispatch;`);
    this.addSql(`grant select (organization_id, id, deleted_at) on chat to br_dispatch;`);
    this.addSql(
      `grant select (organization_id, id, chat_id, reply_to_message_id, role, status, revision, agent_profile_id, leased, lease_token_hash, lease_expires_at, heartbeat_at, capability_expires_at, worker_id, boot_id, claim_request_key, first_claimed_at, generation, attempt, cancel_requested_at, draft, text_bytes, chunks_expire_at, created_at) on message to br_dispatch;`,
    );
    this.addSql(
      `grant update (status, revision, leased, lease_token_hash, lease_expires_at, heartbeat_at, capability_expires_at, worker_id, boot_id, claim_request_key, first_claimed_at, generation, attempt, authorization_epoch, catalog_revision, text_bytes, final_digest, final_answer, chunks_expire_at, updated_at) on message to br_dispatch;`,
    );
    this.addSql(`grant select, insert, delete on message_chunk to br_dispatch;`);
    // Event streams look at all open chats at once: who may not read on.
    this
      .addSql(`create function owner_access_lost(organizations uuid[], subjects text[], tokens uuid[]) returns setof int
      language sql stable security definer set search_path = public, pg_temp as $$
        select a.place::int
        from unnest(organizations, subjects, tokens) with ordinality a(organization_id, subject, token_id, place)
        where not exists (select from organization o where o.id = a.organization_id and o.status <> 'deleting')
           or (a.subject <> 'bootstrap' and not exists (
             select from membership m where m.organization_id = a.organization_id and m.subject = a.subject))
           or (a.token_id is not null and not exists (
             select from owner_token t
             where t.id = a.token_id and (t.expires_at is null or t.expires_at > clock_timestamp())))
      $$;`);
    this.addSql(`revoke all on function owner_access_lost(uuid[], text[], uuid[]) from public;`);
    this.addSql(`grant execute on function owner_access_lost(uuid[], text[], uuid[]) to br_dispatch;`);

    // Chats of the entered organization with a text in the title or in a message, in any case. Under a policy the operator
    // would be a filter over all rows, since it is not leakproof; as the owner it is a condition of the indexes.
    this.addSql(`create function search_chats(wanted text) returns setof uuid
      language sql stable security definer set search_path = public, pg_temp as $$
        select c.id from chat c
        where c.organization_id = nullif(current_setting('app.org', true), '')::uuid
          and c.title ilike '%' || regexp_replace(wanted, '([\\\\%_])', '\\\\\\1', 'g') || '%'
        union
        select m.chat_id from message m
        where m.organization_id = nullif(current_setting('app.org', true), '')::uuid
          and message_text(m.parts) ilike '%' || regexp_replace(wanted, '([\\\\%_])', '\\\\\\1', 'g') || '%'
      $$;`);
    this.addSql(`revoke all on function search_chats(text) from public;`);
    this.addSql(`grant execute on function search_chats(text) to br_app;`);

    // A turn's row is written by each of its appends and beats.
    this.addSql(`alter table chat set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);`);
    this.addSql(`alter table message set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);`);
    this.addSql(`alter table message_chunk set (autovacuum_vacuum_scale_factor = 0.02);`);
  }
}
