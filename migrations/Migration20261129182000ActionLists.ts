import { Migration } from '@mikro-orm/migrations';

/** What lists of actions filter by beside their status: whose they are, and that nobody has decided them. */
export class Migration20261129182000ActionLists extends Migration {
  override name = 'Migration20261129182000ActionLists';

  override up(): void {
    this.addSql(`create index "action_by_profile" on "action" ("organization_id", "agent_profile_id", "id");`);
    this.addSql(`create index action_undecided on action (organization_id, id) where decision is null;`);
  }
}
