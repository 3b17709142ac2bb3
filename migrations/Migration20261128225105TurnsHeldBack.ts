import { Migration } from '@mikro-orm/migrations';

/** Turns of organizations of which none may be claimed are held back: out of the index of claims, found by organization. */
export class Migration20261128225105TurnsHeldBack extends Migration {
  override name = 'Migration20261128225105TurnsHeldBack';

  override up(): void {
    this.addSql(`drop index "message_resting";`);
    this.addSql(
      `create index message_resting on message (rests_until, organization_id, created_at, id) where status = 'pending' and resting;`,
    );
    this.addSql(`grant update (rests_until) on message to br_dispatch;`);
  }
}
