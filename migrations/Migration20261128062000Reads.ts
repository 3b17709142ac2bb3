import { Migration } from '@mikro-orm/migrations';

/** Every read of an owner begins with it, so it passes by the policies of the directory. */
export class Migration20261128062000Reads extends Migration {
  override name = 'Migration20261128062000Reads';

  override up(): void | Promise<void> {
    // The status of an organization that the subject belongs to and that is not being deleted; null otherwise.
    this.addSql(`create function membership_status(member text, organization uuid) returns text
      language plpgsql stable security definer set search_path = public, pg_temp as $$
      declare
        found_status text;
      begin
        select o.status into found_status from membership m join organization o on o.id = m.organization_id
        where m.organization_id = organization and m.subject = member and o.status <> 'deleting';
        return found_status;
      end $$;`);
    this.addSql(`revoke all on function membership_status(text, uuid) from public;`);
    this.addSql(`grant execute on function membership_status(text, uuid) to br_app;`);
  }
}
