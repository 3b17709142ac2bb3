import { Migration } from '@mikro-orm/migrations';

/** An organization that is being onboarded may not know its website and currency yet. */
export class Migration20261129203500UnknownDetails extends Migration {
  override name = 'Migration20261129203500UnknownDetails';

  override up(): void {
    this.addSql(`alter table "organization" alter column "default_currency" drop not null;`);
    this.addSql(`alter table "organization" alter column "website" drop not null;`);
  }
}
