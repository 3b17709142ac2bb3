import { Migration } from '@mikro-orm/migrations';

/**
 * Keeps the token's hash of the claim before, so that who held it learns what became of it. The release before leaves the
 * column as it is: while it still runs, some who lost a lease are told no more than they were.
 */
export class Migration20261129114500FormerLeases extends Migration {
  override name = 'Migration20261129114500FormerLeases';

  override up(): void {
    this.addSql(`alter table "run_request" add "former_token_hash" bytea null;`);
    this.addSql(`alter table "message" add "former_token_hash" bytea null;`);
    this.addSql(`grant update (former_token_hash) on run_request to br_dispatch;`);
    this.addSql(`grant select (former_token_hash), update (former_token_hash) on message to br_dispatch;`);
  }
}
