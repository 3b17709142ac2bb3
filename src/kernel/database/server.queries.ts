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
