import pg from 'pg';
import { ConfigError } from '../../config/index.ts';
import { sqlState, SqlState } from '../sql/index.ts';

/**
 * The three roles that every deployment has. None logs in; a login takes one for the length of a transaction, so one
 * login can serve all three and a deployment may still give each a login of its own.
 */
export const Roles = {
  /** Owner API and agent API: one organization a transaction, row-level security, no BYPASSRLS. */
  app: 'br_app',
  /** Across organizations: cron jobs, sweeps, catalog publication; only the tables and columns granted to it. */
  dispatch: 'br_dispatch',
  /** Owns the tables: migrations, partitions, purge. A group, so that any owning login can be a member. */
  owner: 'br_owner',
} as const;

interface Logins {
  readonly app: string;
  readonly dispatch: string;
}

interface Wanted {
  readonly sql: string;
  /** Answers whether the statement has nothing left to do. */
  readonly done: string;
}

/**
 * Makes the roles where they are missing and lets the logins take them. Roles belong to the whole server, so several
 * databases may share them. A login that may not make roles is told the SQL that an administrator has to run.
 */
export async function ensureRoles(client: pg.Client, logins: Logins): Promise<void> {
  const missing = await missingRoles(client, logins);
  try {
    for (const sql of missing) await client.query(sql);
  } catch (error) {
    if (sqlState(error) === SqlState.undefinedObject) {
      const { rows } = await client.query('select from pg_roles where rolname = $1', [logins.app]);
      const setting = rows.length === 0 ? 'DATABASE_URL' : 'DATABASE_DISPATCH_URL';
      throw new ConfigError(setting, 'the server has no such login');
    }
    if (sqlState(error) !== SqlState.insufficientPrivilege) throw error;
    const sql = missing.map((each) => `${each};`).join(' ');
    throw new ConfigError('DATABASE_DIRECT_URL', `may not make roles; let an administrator run: ${sql}`);
  }
}

/** What has to be run for the roles and their grants to be there; nothing, after the first start. */
export async function missingRoles(client: pg.Client, logins: Logins): Promise<string[]> {
  const owner = (await client.query('select current_user as name')).rows[0] as { name: string };
  const wanted = [
    ...Object.values(Roles).map(creation),
    // The owner's policies are for members that have the role's rights at all times.
    grant(Roles.owner, owner.name, 'inherit'),
    // The other logins have them only inside a context that takes the role.
    grant(Roles.app, logins.app, 'take'),
    grant(Roles.dispatch, logins.dispatch, 'take'),
  ];
  const missing: string[] = [];
  for (const { sql, done } of wanted) {
    // Asking about a role that is not there yet is an error.
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
