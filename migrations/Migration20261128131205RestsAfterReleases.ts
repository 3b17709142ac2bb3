import { Migration } from '@mikro-orm/migrations';

/** What workers give back rests, so that others go first: run requests by their time, turns out of the index of claims. */
export class Migration20261128131205RestsAfterReleases extends Migration {
  override name = 'Migration20261128131205RestsAfterReleases';

  override up(): void {
    this.addSql(
      `alter table "run_request" add "release_streak" int not null default 0, add "released_attempt" int null;`,
    );
    this.addSql(
      `alter table "message" add "resting" boolean not null default false, add "rests_until" timestamptz(6) null, add "release_streak" int not null default 0, add "released_attempt" int null;`,
    );
    this.addSql(`drop index "message_claimable";`);
    this.addSql(
      `create index message_claimable on message (organization_id, created_at, id) where status = 'pending' and not leased and not resting;`,
    );
    this.addSql(`create index message_resting on message (rests_until) where resting;`);
    // The tick that ends rests, and claims and sweeps, which pass them by.
    this.addSql(`grant select (resting, rests_until), update (resting) on message to br_dispatch;`);
  }
}
