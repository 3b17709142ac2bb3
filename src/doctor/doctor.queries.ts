import { sql, type Statement } from '../kernel/database/index.ts';
import { Roles } from '../kernel/tenancy/index.ts';

const roles = Object.values(Roles);

export interface LoginRights {
  readonly login: string;
  /** Superusers and logins with BYPASSRLS see every row whatever the policies say. */
  readonly bypasses: boolean;
  readonly grantsRoles: boolean;
  /** -1 for no limit. */
  readonly connectionLimit: number;
}

export function loginRights(): Statement<LoginRights> {
  return sql`
    select rolname as login, rolsuper or rolbypassrls as bypasses,
           rolsuper or rolcreaterole and not exists (
             select from pg_roles held
             where held.rolname = any(${roles}) and not pg_has_role(l.oid, held.oid, 'USAGE WITH ADMIN OPTION')
           ) as "grantsRoles",
           rolconnlimit as "connectionLimit"
    from pg_roles l where rolname = current_user`;
}

/** Roles of the service that policies would not hold, or that anyone could log in as. */
export function strangeRoles(): Statement<{ role: string; bypasses: boolean }> {
  return sql`
    select rolname as role, rolsuper or rolbypassrls as bypasses from pg_roles
    where rolname = any(${roles}) and (rolsuper or rolbypassrls or rolcanlogin) order by rolname`;
}

/** Tables and partitions in the schema of the migrations. */
const ours = sql`relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`;

/** Tables that the login may not alter, as migrations and partitions must. */
export function foreignTables(): Statement<{ table: string; owner: string }> {
  return sql`
    select relname as table, pg_get_userbyid(relowner) as owner from pg_class
    where ${ours} and not pg_has_role(current_user, relowner, 'USAGE') order by relname`;
}

/** Tables with policies that nothing enforces. */
export function openTables(): Statement<{ table: string }> {
  return sql`
    select relname as table from pg_class
    where ${ours} and exists (select from pg_policy where polrelid = pg_class.oid)
      and not (relrowsecurity and relforcerowsecurity)
    order by relname`;
}

/** Indexes whose concurrent creation was interrupted. */
export function invalidIndexes(): Statement<{ index: string }> {
  return sql`
    select relname as index from pg_class join pg_index on indexrelid = oid
    where not indisvalid and relnamespace = current_schema()::regnamespace order by relname`;
}

/** Extensions by name that are installed in the database, or could be. */
export function extensions(names: readonly string[]): Statement<{ name: string; installed: boolean }> {
  return sql`
    select name, installed_version is not null as installed from pg_available_extensions
    where name = any(${names})`;
}

export interface Capacity {
  /** What remains for logins that are no superusers. */
  readonly allowed: number;
  /** Of all processes on all databases. */
  readonly used: number;
  readonly databaseLimit: number;
}

export function capacity(): Statement<Capacity> {
  return sql`
    select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
             - current_setting('reserved_connections')::integer as allowed,
           (select sum(numbackends)::integer from pg_stat_database where datid > 0) as used,
           (select datconnlimit from pg_database where datname = current_database()) as "databaseLimit"`;
}

/** Settings that lose acknowledged work in a crash. */
export function durability(): Statement<{ setting: string }> {
  return sql`
    select name as setting from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name`;
}

export function serverTime(): Statement<{ epochMs: string }> {
  return sql`select extract(epoch from clock_timestamp()) * 1000 as "epochMs"`;
}
