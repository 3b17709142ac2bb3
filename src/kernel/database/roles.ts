import type pg from 'pg';
import { ConfigError } from '../../config/index.ts';
import { sqlState, SqlState } from './sql-state.ts';

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

/**
 * Makes the roles where they are missing and lets the logins take them. Roles belong to the whole server, so several databases may share
 * them. A login that may not make roles is told the SQL that somebody who may has to run.
 */
export async function ensureRoles(client: pg.Client, logins: Logins): Promise<void> {
  const owner = (await client.query('select current_user as name')).rows[0] as { name: string };
  const wanted = [
    ...Object.values(Roles).map((role) => ({
      sql: `do $$ begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end $$`,
      done: `select exists (select from pg_roles where rolname = '${role}') as done`,
    })),
    grant(Roles.owner, owner.name, 'USAGE'),
    grant(Roles.app, logins.app, 'SET'),
    grant(Roles.dispatch, logins.dispatch, 'SET'),
  ];
  const missing: string[] = [];
  for (const { sql, done } of wanted) {
    const [state] = (await client.query(done).catch(() => ({ rows: [{ done: false }] }))).rows as { done: boolean }[];
    if (!state?.done) missing.push(sql);
  }
  try {
    for (const sql of missing) await client.query(sql);
  } catch (error) {
    if (sqlState(error) !== SqlState.insufficientPrivilege) throw error;
    throw new ConfigError(
      'DATABASE_DIRECT_URL',
      `the login "${owner.name}" may not make roles; let an administrator run:\n${missing.map((sql) => `${sql};`).join('\n')}`,
    );
  }
}

function grant(role: string, login: string, privilege: 'USAGE' | 'SET'): { sql: string; done: string } {
  return {
    sql: `grant ${role} to "${login.replaceAll('"', '""')}" with inherit true, set true`,
    done: `select pg_has_role('${login.replaceAll("'", "''")}', '${role}', '${privilege}') as done`,
  };
}
