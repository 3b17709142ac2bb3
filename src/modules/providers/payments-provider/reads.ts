import { failed, type JsonObject } from '../wire/index.ts';
import type { Page, PaymentsClient, Row } from './client.ts';
import { idText, names } from './ids.ts';
import { STORE_ID } from './manifest.ts';
import { shownPage, shownRow } from './projection.ts';
import { type Resource, resourceOf, type RowType } from './resources.ts';

/** Arguments of a read, checked, with their defaults. */
export type ReadArguments = Readonly<Record<string, string | number | boolean>> & {
  readonly page?: number;
  readonly page_size?: number;
};

/** What another store has, and what nobody has. One for both, so that nobody learns what exists. */
const NOT_FOUND_STATUS = 404;

/**
 * Reads within one store. Every row is proven before it is handed on: by its own key of the store, or up its parents to one
 * that has it. Proofs live as long as the call.
 */
export class StoreReads {
  private readonly rows = new Map<string, Promise<Row>>();

  constructor(private readonly client: PaymentsClient) {}

  /** The stores of the settings, of those that are there now. */
  async listStores(
    storeIds: readonly string[],
    { page = 1, page_size: size = 25 }: ReadArguments,
  ): Promise<JsonObject> {
    const { stores } = await this.client.stores();
    const selected = stores.filter(({ id }) => storeIds.includes(id));
    const last = Math.max(1, Math.ceil(selected.length / size));
    const rows = selected.slice((page - 1) * size, page * size);
    return shownPage(resourceOf('stores'), { rows, current: page, last, size, total: selected.length });
  }

  async getStore(id: string): Promise<JsonObject> {
    return { item: shownRow(resourceOf('stores'), await this.row('stores', id)) };
  }

  async list(resource: Resource, args: ReadArguments): Promise<JsonObject> {
    const { type, parent, filters } = resource;
    const { page = 1, page_size: size = 25 } = args;
    const storeId = String(args[STORE_ID]);
    if (parent) await this.proven(parent.type, String(args[parent.key]), storeId);
    const given = Object.keys(filters).flatMap((name) =>
      args[name] === undefined ? [] : [[name, String(args[name])]],
    );
    const found = await this.client.list(type, {
      page,
      size,
      filters: { ...(parent ? {} : { [STORE_ID]: storeId }), ...(Object.fromEntries(given) as Record<string, string>) },
    });
    const [key, id] = parent ? [parent.key, String(args[parent.key])] : [STORE_ID, storeId];
    requireEach(found, key, id);
    return shownPage(resource, found);
  }

  async get(resource: Resource, { [STORE_ID]: storeId, id }: ReadArguments): Promise<JsonObject> {
    return { item: shownRow(resource, await this.proven(resource.type, String(id), String(storeId))) };
  }

  /** A row that belongs to the store; `not_found` of any other, and of one whose keys do not say it. */
  async proven(type: RowType, id: string, storeId: string): Promise<Row> {
    const row = await this.row(type, id);
    await this.prove(type, row, storeId);
    return row;
  }

  private async prove(type: RowType, { attributes }: Row, storeId: string): Promise<void> {
    const { parent } = resourceOf(type);
    if (!parent) {
      if (!names(attributes[STORE_ID], storeId)) throw notFound();
      return;
    }
    const id = idText(attributes[parent.key]);
    if (id === undefined) throw notFound();
    await this.prove(parent.type, await this.row(parent.type, id), storeId);
  }

  /** One row, however many proofs go over it. */
  private row(type: RowType, id: string): Promise<Row> {
    const key = `${type}/${id}`;
    const asked = this.rows.get(key) ?? this.client.get(type, id);
    this.rows.set(key, asked);
    return asked;
  }

  /**
   * Proves variants of a store: the first by its product, then those of the same product by one list of it, and the others one
   * by one.
   */
  async proveVariants([first, ...others]: readonly [string, ...string[]], storeId: string): Promise<void> {
    const { attributes } = await this.proven('variants', first, storeId);
    if (others.length === 0) return;
    const productId = idText(attributes['product_id'])!;
    const siblings = await this.client.list('variants', {
      page: 1,
      size: 100,
      filters: { product_id: productId },
    });
    requireEach(siblings, 'product_id', productId);
    const known = new Set(siblings.rows.map(({ id }) => id));
    for (const id of others) if (!known.has(id)) await this.proven('variants', id, storeId);
  }
}

/** A row that is not of what was asked for makes the whole page one that cannot be believed. */
export function requireEach({ rows }: Pick<Page, 'rows'>, key: string, id: string): void {
  if (rows.some(({ attributes }) => !names(attributes[key], id))) throw failed('bad_answer', { status: 200 });
}

function notFound() {
  return failed('not_found', { status: NOT_FOUND_STATUS });
}
