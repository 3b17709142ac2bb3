import { Migration } from '@mikro-orm/migrations';

/** That tools were called, and what became of it: one partition a month. */
export class Migration20261130003726IntegrationCalls extends Migration {
  override name = 'Migration20261130003726IntegrationCalls';

  override up(): void {
    this.addSql(
      `create table "integration_call" ("organization_id" uuid not null, "at" timestamptz(6) not null default clock_timestamp(), "id" uuid not null, "integration_id" uuid not null, "connector_key" text null, "tool_name" text not null, "definition_hash" text null, "agent_profile_id" uuid not null, "execution" text null, "execution_id" uuid null, "action_id" uuid null, "access" text null, "arguments_digest" text not null, "arguments_bytes" int not null, "output_digest" text null, "output_bytes" int null, "outcome" text not null, "code" text null, "answered_with" int null, "latency_ms" int not null, "era" text null, primary key ("organization_id", "at", "id")) partition by range ("at");`,
    );
    this.addSql(`create table "integration_call_default" partition of "integration_call" default;`);
    this.addSql(
      `create index "integration_call_of_integration" on "integration_call" ("organization_id", "integration_id", "at", "id");`,
    );

    this.addSql(
      `alter table "integration_call" add constraint "integration_call_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "integration_call" add constraint "integration_call_execution_check" check ("execution" in ('task_run', 'chat_turn'));`,
    );
    this.addSql(
      `alter table "integration_call" add constraint "integration_call_access_check" check ("access" in ('read', 'write'));`,
    );
    this.addSql(
      `alter table "integration_call" add constraint "integration_call_outcome_check" check ("outcome" in ('succeeded', 'failed', 'refused', 'not_executed', 'ambiguous'));`,
    );
    this.addSql(`alter table "integration_call" enable row level security;`);
    this.addSql(`alter table "integration_call" force row level security;`);
    this.addSql(`create policy "owner_all" on "integration_call" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "integration_call" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`grant select, insert on integration_call to br_app;`);

    // This month and the three after it; from then on a job keeps ahead.
    this.addSql(`do $$
      begin
        for ahead in 0..3 loop
          execute format('create table %I partition of integration_call for values from (%L) to (%L)',
            'integration_call_' || to_char(date_trunc('month', now() at time zone 'utc') + ahead * interval '1 month', 'YYYY_MM'),
            to_char(date_trunc('month', now() at time zone 'utc') + ahead * interval '1 month', 'YYYY-MM-DD"T00:00:00Z"'),
            to_char(date_trunc('month', now() at time zone 'utc') + (ahead + 1) * interval '1 month', 'YYYY-MM-DD"T00:00:00Z"'));
        end loop;
      end $$;`);
  }
}
