import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { Config } from '../../config/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { Batch } from './batch.ts';
import { asSubject, BOOTSTRAP, enter, enterCounted } from './contexts.ts';
import { Database } from './database.ts';
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

  constructor(database: Database, config: Config) {
    this.pool = database.app;
    this.prepared = config.database.prepared;
  }

  /** Rows of one organization; 404 `organization_not_found` when the subject does not belong to it. */
  async inOrganization<Row>(subject: string, organizationId: string, query: Statement<Row>): Promise<Row[]> {
    const [rows] = await this.entered(subject, organizationId, [query]);
    return rows as Row[];
  }

  /** A list of one organization; 404 likewise. */
  async listInOrganization<Result>(subject: string, organizationId: string, list: RowSets<Result>): Promise<Result> {
    return list.result(await this.entered(subject, organizationId, list.statements()));
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

  private async entered(subject: string, organizationId: string, queries: readonly Statement[]): Promise<unknown[][]> {
    const [, entered, ...results] = await this.roundTrip([
      asSubject(subject),
      subject === BOOTSTRAP ? enterCounted(organizationId) : enter(subject, organizationId),
      ...queries,
    ]);
    if (entered!.rowCount === 0) throw new ApiError(EdgeErrors.organizationNotFound);
    return results.map(({ rows }) => rows);
  }

  private async roundTrip(statements: readonly Statement[]): Promise<pg.QueryResult[]> {
    const client = await this.pool.connect();
    let lost = true;
    try {
      const results = await Batch.run(client, statements, this);
      lost = false;
      return results;
    } catch (error) {
      // A plain error of the server leaves the connection usable, a fatal one or one of the network does not.
      lost = (error as { severity?: string }).severity !== 'ERROR';
      throw error;
    } finally {
      client.release(lost);
    }
  }
}
