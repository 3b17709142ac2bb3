import { Migration } from '@mikro-orm/migrations';

/** What workers call all the time goes across organizations, many calls a transaction, on the dispatch role. */
export class Migration20261128054854SharedTransactions extends Migration {
  override name = 'Migration20261128054854SharedTransactions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "run" add "log_through" int not null default 0, add "log_last" int not null default 0;`);
    // Of the others no log grows any more.
    this.addSql(
      `update run r set log_last = coalesce((select max(l.sequence) from run_log l where l.organization_id = r.organization_id and l.run_id = r.id), 0) where r.status in ('starting', 'running');`,
    );

    this.addSql(`create policy "dispatch_rows" on "activity" to "br_dispatch" using (true) with check (true);`);
    this.addSql(`create policy "dispatch_rows" on "run_log" to "br_dispatch" using (true) with check (true);`);
    this.addSql(`create policy "dispatch_rows" on "run_outcome" to "br_dispatch" using (true) with check (true);`);

    this.addSql(`grant select (authorization_epoch) on organization to br_dispatch;`);
    // Locking a row takes UPDATE of some column.
    this.addSql(`grant update (max_live_runs) on organization_load, profile_load to br_dispatch;`);
    this.addSql(
      `grant update (status, version, agent_run_count, consumed_agent_run_count, blockers, result, unverified_result, started_at, completed_at, updated_at) on task to br_dispatch;`,
    );
    this.addSql(`grant update (attempt_count, last_run_id) on run_request to br_dispatch;`);
    this.addSql(
      `grant select (attempt, mode, model, harness, workspace_uri, lease_token_hash, capability_expires_at, usage, receipts, log_state, log_through, log_last, final_answer, created_at, updated_at) on run to br_dispatch;`,
    );
    this.addSql(
      `grant insert (organization_id, id, task_id, run_request_id, agent_profile_id, attempt, mode, status, task_version, catalog_revision, model, worker_id, boot_id, lease_token_hash, lease_expires_at, heartbeat_at, capability_expires_at, started_at, created_at, updated_at) on run to br_dispatch;`,
    );
    this.addSql(
      `grant update (status, harness, model, workspace_uri, heartbeat_at, lease_expires_at, capability_expires_at, output, usage, receipts, log_state, log_through, log_last, final_digest, final_answer, finished_at, updated_at) on run to br_dispatch;`,
    );
    this.addSql(`grant select (organization_id, run_id) on run_outcome to br_dispatch;`);
    this.addSql(`grant select, insert on run_log to br_dispatch;`);
    this.addSql(`grant insert on activity to br_dispatch;`);
  }
}
