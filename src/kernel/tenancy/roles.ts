import pg from 'pg';
import { ConfigError } from '../../config/index.ts';
import { sqlState, SqlState } from '../sql/index.ts';

/**
 * The three roles of every deployment. None can log in; a login takes one for the length of a transaction, so that one
 * login can serve all three, and a deployment may also give each its own login.
 */
export const Roles = {
  /** Owner API and agent API: one organization per transaction, row-level security, no BYPASSRLS. */
  app: 'br_app',
  /**
   * Work across organizations: cron jobs, sweeps, catalog publication; only on the tables and columns granted to it.
   */
  dispatch: 'br_dispatch',
  /** Owner of the tables: migrations, partitions, purge. A group, so that any owning login can be a member. */
  owner: 'br_owner',
} as const;

interface Logins {
  readonly app: string;
  readonly dispatch: string;
}

/** The login that makes the roles: the setting that names it, and what else it lacks of the rights to migrate. */
interface Maker {
  readonly setting: string;
  readonly missingGrants: readonly string[];
}

interface Wanted {
  readonly sql: string;
  /** Query that returns whether the statement has nothing left to do. */
  readonly done: string;
}

/**
 * Makes the roles where they are missing and lets the logins take them. Roles belong to the whole server, so several
 * databases may share them. A login that may not make roles is told the SQL that an administrator has to run.
 */
export async function ensureRoles(client: pg.Client, logins: Logins, maker: Maker): Promise<void> {
  const missing = await missingRoles(client, logins);
  try {
    for (const sql of missing) await client.query(sql);
  } catch (error) {
    if (sqlState(error) === SqlState.undefinedObject) {
      const { rows } = await client.query('select from pg_roles where rolname = $1', [logins.app]);
      const setting = rows.length === 0 ? 'DATABASE_URL' : 'DATABASE_DISPATCH_URL';
      throw new ConfigError(setting, 'names a login that the server does not have; create it');
    }
    if (sqlState(error) !== SqlState.insufficientPrivilege) throw error;
    throw new ConfigError(maker.setting, administratorsSql('roles', [...missing, ...maker.missingGrants]));
  }
}

/** What to do about what is missing with a login that may not make it. */
export function administratorsSql(what: 'roles' | 'tables', missing: readonly string[]): string {
  return `its login may not create ${what}; let an administrator run: ${missing.map((each) => `${each};`).join(' ')}`;
}

/** The SQL of missing roles and grants; none after the first start. */
export async function missingRoles(client: pg.Client, logins: Logins): Promise<string[]> {
  const owner = (await client.query('select current_user as name')).rows[0] as { name: string };
  const wanted = [
    ...Object.values(Roles).map(creation),
    // Inherited, because the owner's policies apply to members that have the role's rights at all times.
    grant(Roles.owner, owner.name, 'inherit'),
    // The other logins have these rights only inside a context that takes the role.
    grant(Roles.app, logins.app, 'take'),
    grant(Roles.dispatch, logins.dispatch, 'take'),
  ];
  const missing: string[] = [];
  for (const { sql, done } of wanted) {
    // The query fails if the role does not exist yet.
    const rows = await client.query(done).then(
      (result) => result.rows as { done: boolean }[],
      () => [],
    );
    if (!rows[0]?.done) missing.push(sql);
  }
  return missing;
}

function creation(role: string): Wanted {
  return {
    sql: `do $$ begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end $$`,
    done: `select exists (select from pg_roles where rolname = '${role}') as done`,
  };
}

function grant(role: string, login: string, how: 'inherit' | 'take'): Wanted {
  return {
    sql: `grant ${role} to ${pg.escapeIdentifier(login)} with inherit ${how === 'inherit'}, set true`,
    done: `select pg_has_role(${pg.escapeLiteral(login)}, '${role}', '${how === 'inherit' ? 'USAGE' : 'SET'}') as done`,
  };
}
