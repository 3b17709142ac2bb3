import { Migration } from '@mikro-orm/migrations';

/**
 * Shows how many runs of an organization may be live, as its capacity row has it, and lets claims count what is handed
 * out. The release before neither shows nor changes the one, nor notes its claims in the other: while it still runs, claims
 * may hand out what the start refuses, as they did.
 */
export class Migration20261129111500Concurrency extends Migration {
  override name = 'Migration20261129111500Concurrency';

  override up(): void {
    this.addSql(`alter table "organization" add "max_live_runs" int not null default 10;`);
    this.addSql(
      `update organization o set max_live_runs = c.max_live_runs from organization_capacity c where c.organization_id = o.id and c.max_live_runs <> o.max_live_runs;`,
    );
    this.addSql(`alter table "organization_dispatch" add "claims" bigint not null default '0';`);
    this.addSql(
      `create index run_request_handed_out on run_request (organization_id, agent_profile_id) where status = 'claimed';`,
    );
  }
}
