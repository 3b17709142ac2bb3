import { type Sql, sql, type Statement } from '../sql/index.ts';
import { FIRST_UUID } from '../ids/index.ts';
import { UPLOADS_END_MINUTES } from './upload.policy.ts';

/** One upload; no other upload writes its bytes, not even one for the same thing. */
export interface Upload {
  readonly organizationId: string;
  readonly id: string;
}

/** Uploads that one statement finds. */
export const STALE_UPLOADS_LIMIT = 100;

/** The time within which every upload has ended. */
export const UPLOAD_TIME = sql.raw(`interval '${UPLOADS_END_MINUTES} minutes'`);

interface NotedIn<Noted extends Upload> {
  /** A table with `organization_id`, `id`, `abandoned`, `begun_at` and the columns of what the uploads are for. */
  readonly table: string;
  /** Those columns, by property. */
  readonly columns: Readonly<Record<Exclude<keyof Noted, keyof Upload>, string>>;
  /** Where the bytes of an upload are, and of no other one. */
  readonly objectKeyOf: (upload: Noted) => string;
  /** Makes a select that answers a row where something keeps these bytes. */
  readonly keeper: (upload: Noted, objectKey: string) => Statement;
}

/** The notes of uploads for things of one kind, in a table of the module that has these things. */
export class UploadNotes<Noted extends Upload> {
  readonly objectKeyOf: (upload: Noted) => string;
  private readonly keeper: NotedIn<Noted>['keeper'];
  private readonly table: Sql;
  private readonly columns: readonly (readonly [property: keyof Noted, column: string])[];

  constructor({ table, columns, objectKeyOf, keeper }: NotedIn<Noted>) {
    this.objectKeyOf = objectKeyOf;
    this.keeper = keeper;
    this.table = sql.raw(table);
    this.columns = Object.entries(columns) as [keyof Noted, string][];
  }

  begin(upload: Noted): Statement {
    const names = sql.raw(['organization_id', 'id', ...this.columns.map(([, column]) => column)].join(', '));
    const of = this.columns.map(([property]) => sql`, ${upload[property] as string}`);
    return sql`
      insert into ${this.table} (${names}) values (${upload.organizationId}, ${upload.id}${sql.join(of, '')})`;
  }

  /** Takes the note away, for whoever keeps the bytes; no row where they have been given up. */
  end({ organizationId, id }: Upload): Sql {
    return sql`
      delete from ${this.table} u where u.organization_id = ${organizationId} and u.id = ${id} and not u.abandoned
      returning 1`;
  }

  /** Gives bytes up, so that nothing keeps them from then on. Waits for a transaction that is about to keep them. */
  abandon({ organizationId, id }: Upload): Statement {
    return sql`update ${this.table} set abandoned = true where organization_id = ${organizationId} and id = ${id}`;
  }

  /** A row where something keeps the bytes; their note may be gone for another reason too. */
  kept(upload: Noted): Statement {
    return this.keeper(upload, this.objectKeyOf(upload));
  }

  /** Notes bytes that are kept no more, so that they are removed even if their process dies over it. */
  release(upload: Noted): readonly [Statement, Statement] {
    return [this.begin(upload), this.abandon(upload)];
  }

  forget({ organizationId, id }: Upload): Statement {
    return sql`delete from ${this.table} where organization_id = ${organizationId} and id = ${id}`;
  }

  /** Uploads whose request is gone, oldest first, behind those found before. */
  stale(after: Stale<Noted> | undefined): Statement<Stale<Noted>> {
    const { begunAt = null, organizationId = FIRST_UUID, id = FIRST_UUID } = after ?? {};
    const of = sql.raw(this.columns.map(([property, column]) => `, u.${column} as "${String(property)}"`).join(''));
    return sql`
      select u.organization_id as "organizationId", u.id, u.begun_at as "begunAt"${of}
      from ${this.table} u join organization o on o.id = u.organization_id and o.status <> 'deleting'
      where u.begun_at < now() - ${UPLOAD_TIME}
        and (u.begun_at, u.organization_id, u.id)
          > (coalesce(${begunAt}, '-infinity')::timestamptz, ${organizationId}::uuid, ${id}::uuid)
      order by u.begun_at, u.organization_id, u.id limit ${sql.raw(String(STALE_UPLOADS_LIMIT))}`;
  }
}

export type Stale<Noted extends Upload> = Noted & { readonly begunAt: string };
