import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { Config } from '../../config/index.ts';
import { OrganizationNotFound } from './organization-not-found.ts';
import { asSubject, enterAsMember } from './contexts.ts';
import { Database } from './database.ts';
import { preparedName, type Statement } from './statement.ts';

const BEGIN: Statement = { text: 'begin', values: [] };
const COMMIT: Statement = { text: 'commit', values: [] };

/**
 * The read path of every module: begin, context, the caller's statement and commit travel as one pipelined round trip,
 * so that row-level security costs no wait. Rows come back named as the statement's select list says.
 */
@Injectable()
export class Reads {
  private readonly database: Database;
  private readonly prepared: boolean;

  constructor(database: Database, config: Config) {
    this.database = database;
    this.prepared = config.database.prepared;
  }

  /** Rows of one organization; 404 `organization_not_found` when the subject does not belong to it. */
  async inOrganization<Row>(subject: string, organizationId: string, query: Statement<Row>): Promise<Row[]> {
    const [, , entered, result] = await this.roundTrip(this.database.app, [
      BEGIN,
      asSubject(subject),
      enterAsMember(subject, organizationId),
      query,
      COMMIT,
    ]);
    if (entered?.rowCount === 0) throw new OrganizationNotFound();
    return result!.rows as Row[];
  }

  /** Rows of the directory that the subject may see: its memberships, its tokens, the organizations it belongs to. */
  async asSubject<Row>(subject: string, query: Statement<Row>): Promise<Row[]> {
    const [, , result] = await this.roundTrip(this.database.app, [BEGIN, asSubject(subject), query, COMMIT]);
    return result!.rows as Row[];
  }

  private async roundTrip(pool: pg.Pool, statements: readonly Statement[]): Promise<pg.QueryResult[]> {
    const client = await pool.connect();
    const settled = await Promise.allSettled(
      statements.map(({ text, values }) =>
        client.query({ ...(this.prepared && values.length > 0 ? { name: preparedName(text) } : {}), text, values: [...values] }),
      ),
    );
    const failed = settled.find((each) => each.status === 'rejected');
    // After a failed statement the commit answers ROLLBACK and the connection stays usable; a lost one is dropped.
    const lost = settled.at(-1)?.status === 'rejected';
    client.release(lost);
    if (failed) throw failed.reason;
    return settled.map((each) => (each as PromiseFulfilledResult<pg.QueryResult>).value);
  }
}
