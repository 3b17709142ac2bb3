import type { ProviderNet, ProviderSecret } from '../../integrations/index.ts';
import { ask, failed, isObject, type JsonObject, type ProviderRequest, requireShape } from '../wire/index.ts';
import { HOST } from './manifest.ts';
import { idText } from './ids.ts';
import type { RowType } from './resources.ts';

const MEDIA_TYPE = 'application/vnd.api+json';
/** Of a list of stores, and of a page of a report. */
const LARGE_ANSWER_BYTES = 4 * 1_024 * 1_024;
/** What a header may carry. */
const KEY = /^[\x21-\x7e]+$/;
/** Pages of stores that are read: 100 each. */
const MOST_STORE_PAGES = 2;
export const LARGEST_PAGE = 100;

export interface Row {
  readonly id: string;
  readonly attributes: JsonObject;
}

export interface Page {
  readonly rows: readonly Row[];
  readonly current: number;
  readonly last: number;
  readonly size: number;
  readonly total: number;
  /** Whether its data is of the provider's test mode, where it says so. */
  readonly isTest: boolean | undefined;
}

export interface PageQuery {
  readonly page: number;
  readonly size: number;
  readonly filters?: Readonly<Record<string, string>>;
  readonly isLarge?: boolean;
}

/** The stores of an account, the first 200 of them. */
export interface Stores {
  readonly stores: readonly Row[];
  readonly truncated: boolean;
  readonly mode: 'live' | 'test' | undefined;
}

/** Alone knows how the provider is asked: one request a method. */
export class PaymentsClient {
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    secret: ProviderSecret,
    private readonly net: ProviderNet,
  ) {
    const key = 'apiKey' in secret ? secret['apiKey'] : undefined;
    // What no header can carry is no key.
    if (typeof key !== 'string' || !KEY.test(key)) throw failed('credential_refused', { sent: false });
    this.headers = { accept: MEDIA_TYPE, 'content-type': MEDIA_TYPE, authorization: `Bearer ${key}` };
  }

  /** Throws `not_found` where the account has no such row. */
  async get(type: RowType, id: string): Promise<Row> {
    const answer = await ask(this.net, this.request('GET', addressOf(`${type}/${id}`)));
    const row = rowIn(type, bodyOf(answer.body)?.['data']);
    requireShape(row?.id === id, answer);
    return row;
  }

  async list(type: RowType, { page, size, filters = {}, isLarge = false }: PageQuery): Promise<Page> {
    const url = addressOf(type);
    for (const [name, value] of Object.entries(filters)) url.searchParams.set(`filter[${name}]`, value);
    url.searchParams.set('page[number]', String(page));
    url.searchParams.set('page[size]', String(size));
    const answer = await ask(this.net, {
      ...this.request('GET', url),
      ...(isLarge ? { maxBytes: LARGE_ANSWER_BYTES } : {}),
    });
    const found = pageIn(type, bodyOf(answer.body));
    requireShape(found !== undefined && found.current === page && found.rows.length <= size, answer);
    return found;
  }

  /** What the key reaches; which mode it is of follows from these, or else from one product or customer. */
  async stores(): Promise<Stores> {
    const stores = new Map<string, Row>();
    let isTest: boolean | undefined;
    for (let page = 1; page <= MOST_STORE_PAGES; page += 1) {
      const found = await this.list('stores', { page, size: LARGEST_PAGE, isLarge: true });
      for (const row of found.rows) stores.set(row.id, row);
      isTest ??= found.isTest;
      const isLast = found.last <= page;
      if (isLast || page === MOST_STORE_PAGES)
        return {
          stores: [...stores.values()],
          truncated: found.total > MOST_STORE_PAGES * LARGEST_PAGE,
          mode: modeOf(isTest ?? (await this.isTestByRows())),
        };
    }
    throw new Error('unreachable');
  }

  /** The request that writes; the caller sends it. */
  writing(type: 'customers' | 'checkouts', data: JsonObject): ProviderRequest {
    return { ...this.request('POST', addressOf(type)), body: { data } };
  }

  private async isTestByRows(): Promise<boolean | undefined> {
    for (const type of ['products', 'customers'] as const) {
      const { isTest } = await this.list(type, { page: 1, size: 1 });
      if (isTest !== undefined) return isTest;
    }
    return undefined;
  }

  private request(method: 'GET' | 'POST', url: URL): ProviderRequest {
    return { method, url, headers: this.headers, accepts: MEDIA_TYPE };
  }
}

function addressOf(path: string): URL {
  return new URL(`https://${HOST}/v1/${path}`);
}

function modeOf(isTest: boolean | undefined): Stores['mode'] {
  return isTest === undefined ? undefined : isTest ? 'test' : 'live';
}

function bodyOf(body: unknown): JsonObject | undefined {
  return isObject(body) ? body : undefined;
}

/** Undefined of what is no row of the type. */
function rowIn(type: string, value: unknown): Row | undefined {
  if (!isObject(value) || value['type'] !== type || !isObject(value['attributes'])) return undefined;
  const id = idText(value['id']);
  return id === undefined ? undefined : { id, attributes: value['attributes'] };
}

function pageIn(type: RowType, body: JsonObject | undefined): Page | undefined {
  const { data, meta } = body ?? {};
  const page = isObject(meta) && isObject(meta['page']) ? meta['page'] : undefined;
  if (!Array.isArray(data) || !isObject(meta) || !page) return undefined;
  const rows = data.map((each) => rowIn(type, each));
  const { currentPage: current, lastPage: last, perPage: size, total } = page;
  const isWhole = rows.every((row) => row !== undefined) && [current, last, size, total].every(isCount);
  if (!isWhole) return undefined;
  const said = [meta, ...rows.map(({ attributes }) => attributes)].map((each) => each['test_mode']);
  const [isTest, ...others] = new Set(said.filter((each) => typeof each === 'boolean'));
  // Test and live data are never in one answer.
  if (others.length > 0) return undefined;
  return {
    rows,
    current: current as number,
    last: last as number,
    size: size as number,
    total: total as number,
    isTest,
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
