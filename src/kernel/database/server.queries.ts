import { sql, type Statement } from '../sql/index.ts';

/** Like 180004. */
export function serverVersion(): Statement<{ server_version_num: string }> {
  return sql`show server_version_num`;
}

/** Equal on all connections to one database of one server, whatever they go through. */
export function databaseIdentity(): Statement<{ identity: string }> {
  return sql`
    select concat(pg_postmaster_start_time(), ' ', oid) as identity from pg_database where datname = current_database()`;
}

/** A standby, or a login whose transactions may only read, can serve nothing. */
export function databaseNature(): Statement<{ readOnly: boolean; encoding: string }> {
  return sql`
    select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "readOnly",
           current_setting('server_encoding') as encoding`;
}

export function backendPid(): Statement<{ pid: number }> {
  return sql`select pg_backend_pid() as pid`;
}

/** One row if the login may use the role as its own (`USAGE`) or take it (`SET`). */
export function heldRole(role: string, how: 'SET' | 'USAGE'): Statement {
  return sql`select from pg_roles where rolname = ${role} and pg_has_role(current_user, rolname, ${how})`;
}

/** What has to be granted to the login before it may migrate: tables are made in its schema, extensions in its database. */
export function missingGrants(extensions: readonly string[]): Statement<{ grant: string }> {
  return sql`
    select format('grant create on schema %I to %I', schema, current_user) as grant
    from coalesce(current_schema(), 'public') schema where not has_schema_privilege(schema, 'CREATE')
    union all
    select format('grant create on database %I to %I', current_database(), current_user)
    where not has_database_privilege(current_database(), 'CREATE')
      and exists (select from unnest(${extensions}::text[]) wanted where wanted not in (select extname from pg_extension))`;
}
