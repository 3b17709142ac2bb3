import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { Config } from '../../config/index.ts';
import { type Result, roundTrip } from './batch.ts';
import { asSubject, BOOTSTRAP, type Entry, ownerEntry } from './contexts.ts';
import { Database } from './database.ts';
import { SharedReads } from './shared-reads.ts';
import type { Statement } from './statement.ts';

/** Several statements whose rows make one result, e.g. a keyset page. */
export interface RowSets<Result> {
  statements(): readonly Statement[];
  result(sets: readonly unknown[][]): Result;
}

/**
 * The read path of every module: context and the caller's statements are one transaction in one round trip (`Batch`), so
 * that row-level security costs no wait. Rows come back named as the statement's select list says.
 */
@Injectable()
export class Reads {
  private readonly pool: pg.Pool;
  /** Whether statements are named, so that each connection plans them once. */
  readonly prepared: boolean;
  private readonly shared = new SharedReads((entry, statements) => this.entered(entry, statements));

  constructor(database: Database, config: Config) {
    this.pool = database.app;
    this.prepared = config.database.prepared;
  }

  /** Rows of one organization; 404 `organization_not_found` when the subject does not belong to it. */
  async inOrganization<Row>(subject: string, organizationId: string, query: Statement<Row>): Promise<Row[]> {
    const [rows] = await this.asOwner(subject, organizationId, [query]);
    return rows as Row[];
  }

  /** A list of one organization; 404 likewise. */
  async listInOrganization<Result>(subject: string, organizationId: string, list: RowSets<Result>): Promise<Result> {
    return list.result(await this.asOwner(subject, organizationId, list.statements()));
  }

  /** Rows of the organization that an entry leads into. */
  async through<Row>(entry: Entry, query: Statement<Row>): Promise<Row[]> {
    const [rows] = await this.entered(entry, [query]);
    return rows as Row[];
  }

  /** A list of the organization that an entry leads into. */
  async listThrough<Result>(entry: Entry, list: RowSets<Result>): Promise<Result> {
    return list.result(await this.entered(entry, list.statements()));
  }

  /** Rows of the directory that the subject may see: its memberships, its tokens, the organizations it belongs to. */
  async asSubject<Row>(subject: string, query: Statement<Row>): Promise<Row[]> {
    const [, result] = await this.roundTrip([asSubject(subject), query]);
    return result!.rows as Row[];
  }

  /** A list of the directory. */
  async listAsSubject<Result>(subject: string, list: RowSets<Result>): Promise<Result> {
    const [, ...results] = await this.roundTrip([asSubject(subject), ...list.statements()]);
    return list.result(results.map(({ rows }) => rows));
  }

  /** The administrator's uses are counted in the round trip itself, one by one. */
  private asOwner(subject: string, organizationId: string, statements: readonly Statement[]): Promise<unknown[][]> {
    const entry = ownerEntry(subject, organizationId, { counted: subject === BOOTSTRAP });
    if (subject === BOOTSTRAP) return this.entered(entry, statements);
    return this.shared.run(`${subject} ${organizationId}`, entry, statements);
  }

  private async entered(entry: Entry, queries: readonly Statement[]): Promise<unknown[][]> {
    const results = await this.roundTrip([...entry.statements, ...queries]);
    const sets = results.map(({ rows }) => rows);
    entry.admit(sets);
    return sets.slice(entry.statements.length);
  }

  private roundTrip(statements: readonly Statement[]): Promise<Result[]> {
    return roundTrip(this.pool, statements, this);
  }
}
