import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { Config } from '../../config/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { asSubject, BOOTSTRAP, enter, enterCounted } from './contexts.ts';
import { Database } from './database.ts';
import { preparedName, type Statement } from './statement.ts';

const BEGIN: Statement = { text: 'begin', values: [] };
const COMMIT: Statement = { text: 'commit', values: [] };

/** Several statements whose rows make one result, e.g. a keyset page. */
export interface RowSets<Result> {
  statements(): readonly Statement[];
  result(sets: readonly unknown[][]): Result;
}

/**
 * The read path of every module: begin, context, the caller's statements and commit travel as one pipelined round trip,
 * so that row-level security costs no wait. Rows come back named as the statement's select list says.
 */
@Injectable()
export class Reads {
  private readonly pool: pg.Pool;
  private readonly prepared: boolean;

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
    const [, , result] = await this.roundTrip([BEGIN, asSubject(subject), query, COMMIT]);
    return result!.rows as Row[];
  }

  /** A list of the directory. */
  async listAsSubject<Result>(subject: string, list: RowSets<Result>): Promise<Result> {
    const [, , ...results] = await this.roundTrip([BEGIN, asSubject(subject), ...list.statements(), COMMIT]);
    return list.result(results.slice(0, -1).map(({ rows }) => rows));
  }

  private async entered(subject: string, organizationId: string, queries: readonly Statement[]): Promise<unknown[][]> {
    const [, , entered, ...results] = await this.roundTrip([
      BEGIN,
      asSubject(subject),
      subject === BOOTSTRAP ? enterCounted(organizationId) : enter(subject, organizationId),
      ...queries,
      COMMIT,
    ]);
    if (entered!.rowCount === 0) throw new ApiError(EdgeErrors.organizationNotFound);
    return results.slice(0, -1).map(({ rows }) => rows);
  }

  private async roundTrip(statements: readonly Statement[]): Promise<pg.QueryResult[]> {
    const client = await this.pool.connect();
    const settled = await Promise.allSettled(
      statements.map(({ text, values }) =>
        client.query({
          ...(this.prepared && values.length > 0 ? { name: preparedName(text) } : {}),
          text,
          values: [...values],
        }),
      ),
    );
    // After a failed statement the commit answers ROLLBACK and the connection stays usable; a lost one is dropped.
    client.release(settled.at(-1)?.status === 'rejected');
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    return settled.map((each) => (each as PromiseFulfilledResult<pg.QueryResult>).value);
  }
}
