import { Migration } from '@mikro-orm/migrations';

/**
 * Members that only read, tokens that may do only so much, and messages that remember what the token could do that posted
 * them. The release before knows no such limits and would let them do everything, so it does not find such members and tokens.
 */
export class Migration20261129101700Rights extends Migration {
  override name = 'Migration20261129101700Rights';

  override up(): void {
    this.addSql(`alter table "membership" drop constraint "membership_role_check";`);
    this.addSql(
      `alter table "membership" add constraint "membership_role_check" check ("role" in ('owner', 'viewer')) not valid;`,
    );
    this.addSql(`alter table "membership" validate constraint "membership_role_check";`);
    this.addSql(`grant update (role) on membership to br_app;`);

    this.addSql(
      `alter table "owner_token" add column "scopes" text[] not null default '{read,work,decide,settings}', add column "organization_ids" uuid[] null;`,
    );
    this.addSql(
      `alter table "owner_token" add constraint "owner_token_limits_check" check (cardinality(scopes) > 0 and (organization_ids is null or cardinality(organization_ids) > 0));`,
    );

    this.addSql(`alter table "message" add column "scopes" text[] null;`);

    // The role of a subject in an organization that is not being deleted, and the status of that; null for a stranger.
    this.addSql(`create function entering_member(member text, organization uuid, out role text, out status text)
      language plpgsql stable security definer set search_path = public, pg_temp as $$
      begin
        select m.role, o.status into entering_member.role, entering_member.status
        from membership m join organization o on o.id = m.organization_id
        where m.organization_id = organization and m.subject = member and o.status <> 'deleting';
      end $$;`);
    this.addSql(`revoke all on function entering_member(text, uuid) from public;`);
    this.addSql(`grant execute on function entering_member(text, uuid) to br_app;`);

    // As authenticate_owner_token, with what the token is limited to.
    this.addSql(`create function identify_owner_token(hash bytea)
      returns table (id uuid, subject text, name text, expires_at timestamptz, expires_in_ms double precision,
        scopes text[], organization_ids uuid[])
      language sql volatile security definer set search_path = public, pg_temp as $$
        update owner_token t set last_used_at = clock_timestamp()
        where t.token_hash = hash and (t.expires_at is null or t.expires_at > clock_timestamp())
          and (t.last_used_at is null or t.last_used_at < clock_timestamp() - interval '1 minute');
        select t.id, t.subject, t.name, t.expires_at,
          extract(epoch from t.expires_at - clock_timestamp())::double precision * 1000, t.scopes, t.organization_ids
        from owner_token t
        where t.token_hash = hash and (t.expires_at is null or t.expires_at > clock_timestamp());
      $$;`);
    this.addSql(`revoke all on function identify_owner_token(bytea) from public;`);
    this.addSql(`grant execute on function identify_owner_token(bytea) to br_app;`);

    // What the release before calls. A later release drops both.
    this.addSql(`create or replace function membership_status(member text, organization uuid) returns text
      language plpgsql stable security definer set search_path = public, pg_temp as $$
      declare
        found_status text;
      begin
        select o.status into found_status from membership m join organization o on o.id = m.organization_id
        where m.organization_id = organization and m.subject = member and m.role = 'owner' and o.status <> 'deleting';
        return found_status;
      end $$;`);
    this.addSql(`create or replace function authenticate_owner_token(hash bytea)
      returns table (id uuid, subject text, name text, expires_at timestamptz, expires_in_ms double precision)
      language sql volatile security definer set search_path = public, pg_temp as $$
        select t.id, t.subject, t.name, t.expires_at, t.expires_in_ms from identify_owner_token(hash) t
        where t.organization_ids is null and t.scopes @> '{read,work,decide,settings}';
      $$;`);
  }
}
