import { Injectable } from '@nestjs/common';
import { asSubject, BOOTSTRAP, type Entrant, type OrganizationAccess, ownerAccess } from '../tenancy/index.ts';
import { referenceMissing } from './database-errors.ts';
import { Database } from './database.ts';
import type { Line } from '../admission/index.ts';
import { SharedReads } from './shared-reads.ts';
import type { RowsOf, Statement } from '../sql/index.ts';

/** Several statements whose rows make one result, e.g. a keyset page. */
export interface RowSets<Result, Statements extends readonly Statement[]> {
  statements(): Statements;
  result(sets: RowsOf<Statements>): Result;
}

/**
 * The read path of every module: context and the caller's statements are one transaction in one round trip (`Batch`), so
 * that row-level security costs no wait. Rows come back named as the statement's select list says.
 */
@Injectable()
export class Reads {
  private readonly shared = new SharedReads((access, taken) => this.enteredWith(access, taken));

  constructor(private readonly database: Database) {}

  /** Rows of one organization; refused as `ownerAccess` says. */
  async inOrganization<Row>(owner: Entrant, organizationId: string, query: Statement<Row>): Promise<Row[]> {
    const [rows] = await this.asOwner(owner, organizationId, [query]);
    return rows;
  }

  /** A list of one organization; refused likewise. */
  async listInOrganization<Result, const Statements extends readonly Statement[]>(
    owner: Entrant,
    organizationId: string,
    list: RowSets<Result, Statements>,
  ): Promise<Result> {
    return list.result(await this.asOwner(owner, organizationId, list.statements()));
  }

  /** Rows of the organization that an access enters. */
  async through<Row>(access: OrganizationAccess, query: Statement<Row>): Promise<Row[]> {
    const [rows] = await this.entered(access, [query]);
    return rows;
  }

  /** A list of the organization that an access enters. */
  async listThrough<Result, const Statements extends readonly Statement[]>(
    access: OrganizationAccess,
    list: RowSets<Result, Statements>,
  ): Promise<Result> {
    return list.result(await this.entered(access, list.statements()));
  }

  /** Rows of the directory that the subject may see: its memberships, its tokens, the organizations it belongs to. */
  async asSubject<Row>(subject: string, query: Statement<Row>): Promise<Row[]> {
    return this.rowsAs(subject, { lane: 'ordinary', key: subject }, query);
  }

  /** Who an owner token belongs to: what every call of an owner begins with, and must not wait behind them. */
  async identity<Row>(query: Statement<Row>): Promise<Row[]> {
    return this.rowsAs('', { lane: 'urgent', key: 'identities' }, query);
  }

  /** A list of the directory. */
  async listAsSubject<Result, const Statements extends readonly Statement[]>(
    subject: string,
    list: RowSets<Result, Statements>,
  ): Promise<Result> {
    const line = { lane: 'ordinary', key: subject } as const;
    const [, ...results] = await this.database.roundTrip('app', line, [asSubject(subject), ...list.statements()]);
    return list.result(results.map(({ rows }) => rows) as RowsOf<Statements>);
  }

  private async rowsAs<Row>(subject: string, line: Line, query: Statement<Row>): Promise<Row[]> {
    const [, result] = await this.database.roundTrip('app', line, [asSubject(subject), query]);
    return result!.rows as Row[];
  }

  /** The administrator's reads are not shared, because each is counted in its own round trip. */
  private asOwner<const Statements extends readonly Statement[]>(
    owner: Entrant,
    organizationId: string,
    statements: Statements,
  ): Promise<RowsOf<Statements>> {
    const { subject, scope } = owner;
    const access = ownerAccess(owner, organizationId, { counted: subject === BOOTSTRAP });
    if (subject === BOOTSTRAP) return this.entered(access, statements);
    // What tokens are limited to, their own accesses have checked.
    return this.shared.run(`${scope} ${subject} ${organizationId}`, access, statements) as Promise<RowsOf<Statements>>;
  }

  private entered<const Statements extends readonly Statement[]>(
    access: OrganizationAccess,
    statements: Statements,
  ): Promise<RowsOf<Statements>> {
    return this.enteredWith(access, () => statements) as Promise<RowsOf<Statements>>;
  }

  private async enteredWith(access: OrganizationAccess, queries: () => readonly Statement[]): Promise<unknown[][]> {
    const all = () => [...access.statements, ...queries()];
    const results = await this.database.roundTripOf('app', access.line, all).catch(referenceMissing(access.gone));
    const sets = results.map(({ rows }) => rows);
    access.admit(sets);
    return sets.slice(access.statements.length);
  }
}
