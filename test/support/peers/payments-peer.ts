import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Outside } from './outside.ts';

type Attributes = Record<string, unknown>;
export interface PeerRow {
  readonly id: string;
  readonly attributes: Attributes;
}

export interface PeerRequest {
  readonly method: string;
  /** Below `/v1/`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  /** Whether the key is of the test mode. */
  readonly isTest: boolean;
}

/** Answers a request by hand; anything but `true` lets the peer answer it. */
type Answering = (request: PeerRequest, response: ServerResponse) => unknown;

/** Filters of each list; a type that is not here is not there. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  stores: [],
  customers: ['store_id', 'email'],
  products: ['store_id'],
  variants: ['product_id', 'status'],
  prices: ['variant_id'],
  orders: ['store_id', 'user_email', 'order_number'],
  'order-items': ['order_id', 'product_id', 'variant_id'],
  subscriptions: ['store_id', 'order_id', 'order_item_id', 'product_id', 'variant_id', 'user_email', 'status'],
  'subscription-invoices': ['store_id', 'status', 'refunded', 'subscription_id'],
  'subscription-items': ['subscription_id', 'price_id'],
  discounts: ['store_id'],
};
const MEDIA_TYPE = 'application/vnd.api+json';
/** Must never come out of an adapter: in what outputs leave out, and in errors. */
export const DROPPED = 'CANARY-dropped';
export const LIVE_KEY = 'CANARY-live-key-hT5vB8nQ2wE7rY1u';
export const TEST_KEY = 'CANARY-test-key-kP3mZ6xC9sD4fG7j';
const HOST = 'api.lemonsqueezy.com';

/**
 * A merchant of record as its documents describe it: JSON:API, pages by number, filters that are taken or refused, keys of one
 * mode, two writes. What it does not know (a path, a header, a filter, a member of a body) is a fault, and a 4xx. It proves
 * nothing of the real provider: not that lists are sorted, that filters filter, what a refused write says, or which of its
 * answers tell the mode.
 */
export class PaymentsPeer {
  readonly requests: PeerRequest[] = [];
  readonly faults: string[] = [];
  /** Bodies of writes whose effect happened. */
  readonly effects: { readonly type: string; readonly attributes: Attributes }[] = [];
  answering: Answering | undefined;
  /** Takes over when a write is done, before it is answered. */
  afterWrite: ((response: ServerResponse, attributes: Attributes) => boolean) | undefined;
  /** Whether answers tell the mode beside their data. */
  saysMode = true;
  /** Rows that every list of a type has, whatever was asked for. */
  readonly intruders = new Map<string, PeerRow>();
  private readonly rows = new Map<string, PeerRow[]>();
  private created = 0;

  static async start(outside: Outside): Promise<PaymentsPeer> {
    const peer = new PaymentsPeer();
    await outside.host(HOST, (request, response) => peer.receive(request, response));
    return peer;
  }

  put(type: string, id: number | string, attributes: Attributes): void {
    const rows = this.rows.get(type) ?? [];
    this.rows.set(type, [...rows.filter((row) => row.id !== String(id)), { id: String(id), attributes }]);
  }

  remove(type: string, id: number | string): void {
    this.rows.set(
      type,
      this.of(type).filter((row) => row.id !== String(id)),
    );
  }

  of(type: string): readonly PeerRow[] {
    return this.rows.get(type) ?? [];
  }

  /** As it was before requests, with its rows. */
  forget(): void {
    this.requests.length = 0;
    this.effects.length = 0;
    this.answering = undefined;
    this.afterWrite = undefined;
    this.saysMode = true;
    this.intruders.clear();
  }

  /** Paths of the requests so far, with their methods and filters. */
  get asked(): readonly string[] {
    return this.requests.map(({ method, path, query }) => {
      const filters = [...query].filter(([name]) => name.startsWith('filter')).map((each) => each.join('='));
      return `${method} ${path}${filters.length > 0 ? `?${filters.join('&')}` : ''}`;
    });
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const url = new URL(request.url!, `https://${HOST}`);
      const asked = {
        method: request.method!,
        path: url.pathname.replace(/^\/v1\//, ''),
        query: url.searchParams,
        body,
        isTest: request.headers.authorization === `Bearer ${TEST_KEY}`,
      };
      this.requests.push(asked);
      if (this.answering?.(asked, response) === true) return;
      const refusal = this.refusalOf(request, url);
      if (refusal !== undefined) return this.refuse(response, refusal);
      if (asked.method === 'POST') return this.write(asked, response);
      const [type, id] = asked.path.split('/') as [string, string?];
      if (id === undefined) this.list(type, asked, response);
      else this.get(type, id, asked, response);
    });
  }

  private refusalOf({ headers, method }: IncomingMessage, { pathname, searchParams }: URL): number | undefined {
    const { authorization, accept, 'content-type': type } = headers;
    if (accept !== MEDIA_TYPE || type !== MEDIA_TYPE) return this.fault(401, `headers ${accept} and ${type}`);
    if (authorization !== `Bearer ${LIVE_KEY}` && authorization !== `Bearer ${TEST_KEY}`) return 401;
    if (headers['accept-encoding'] !== 'identity') return this.fault(400, 'an encoding');
    if (headers['user-agent'] !== 'service-integration') return this.fault(400, 'another user agent');
    const [, of = '', id] = /^\/v1\/([a-z-]+)(?:\/([0-9]{1,20}))?$/.exec(pathname) ?? [];
    if (method === 'POST' && ['customers', 'checkouts'].includes(of) && id === undefined) return undefined;
    const filters = FILTERS[of];
    if (method !== 'GET' || !filters) return this.fault(404, `${method} ${pathname}`);
    for (const [name, value] of searchParams) {
      const known = [...filters.map((each) => `filter[${each}]`), 'page[number]', 'page[size]'];
      if (id !== undefined || !known.includes(name)) return this.fault(400, `the parameter ${name}`);
      if (name.startsWith('page') && !/^[1-9]\d*$/.test(value)) return this.fault(400, `${name}=${value}`);
    }
    if (Number(searchParams.get('page[size]') ?? 10) > 100) return this.fault(400, 'a page too large');
    return undefined;
  }

  private fault(status: number, what: string): number {
    this.faults.push(what);
    return status;
  }

  private refuse(response: ServerResponse, status: number): void {
    const errors = [{ status: String(status), title: DROPPED, detail: DROPPED }];
    this.send(response, status, { jsonapi: { version: '1.0' }, errors });
  }

  private list(type: string, { query, isTest }: PeerRequest, response: ServerResponse): void {
    const filters = [...query].flatMap(([name, value]) => {
      const [, filter] = /^filter\[(.*)\]$/.exec(name) ?? [];
      return filter === undefined ? [] : [[filter, value] as const];
    });
    const sorted = this.of(type)
      .filter(({ attributes }) => filters.every(([name, value]) => String(attributes[name]) === value))
      .toSorted((one, other) => compared(type, one, other));
    const page = Number(query.get('page[number]') ?? 1);
    const size = Number(query.get('page[size]') ?? 10);
    const intruder = this.intruders.get(type);
    const rows = [...sorted.slice((page - 1) * size, page * size), ...(intruder ? [intruder] : [])];
    const from = (page - 1) * size + 1;
    const lastPage = Math.max(1, Math.ceil(sorted.length / size));
    this.send(response, 200, {
      meta: {
        page: {
          currentPage: page,
          from: rows.length === 0 ? null : from,
          lastPage,
          perPage: size,
          to: rows.length === 0 ? null : from + rows.length - 1,
          total: sorted.length,
        },
        ...this.mode(isTest),
      },
      jsonapi: { version: '1.0' },
      links: {
        first: `https://${HOST}/${DROPPED}`,
        ...(page < lastPage ? { next: `https://${HOST}/${DROPPED}` } : {}),
      },
      data: rows.map((row) => asData(type, row)),
    });
  }

  private get(type: string, id: string, { isTest }: PeerRequest, response: ServerResponse): void {
    const row = this.of(type).find((each) => each.id === id);
    if (!row) return this.refuse(response, 404);
    this.send(response, 200, { jsonapi: { version: '1.0' }, meta: this.mode(isTest), data: asData(type, row) });
  }

  private write({ path: type, body }: PeerRequest, response: ServerResponse): void {
    const { data } = JSON.parse(body) as { data: { type: string; attributes: Attributes; relationships: Relations } };
    const related = Object.entries(data.relationships).map(([name, { data: to }]) => `${name}:${to.type}`);
    const expected = type === 'customers' ? ['store:stores'] : ['store:stores', 'variant:variants'];
    if (data.type !== type || related.join() !== expected.join())
      return this.refuse(response, this.fault(422, `a body of ${type}: ${related.join()}`));
    const unknown = Object.keys(data.attributes).find((name) => !MEMBERS[type]!.includes(name));
    if (unknown !== undefined) return this.refuse(response, this.fault(422, `the attribute ${unknown} of ${type}`));
    const storeId = Number(data.relationships['store']!.data.id);
    const isTaken = (row: PeerRow) =>
      row.attributes['store_id'] === storeId && row.attributes['email'] === data.attributes['email'];
    if (type === 'customers' && this.of(type).some(isTaken)) return this.refuse(response, 422);
    this.created += 1;
    const id = type === 'customers' ? String(900_000 + this.created) : `5e8b546c-c561-4a2c-a586-${this.created}`;
    const attributes = {
      store_id: storeId,
      ...data.attributes,
      urls: { customer_portal: DROPPED },
      ...(type === 'checkouts' ? { url: `https://acme.lemonsqueezy.com/checkout/${id}?signature=s` } : {}),
      created_at: new Date().toISOString().replace('Z', '000Z'),
      test_mode: false,
    };
    this.put(type, id, attributes);
    this.effects.push({ type, attributes: data.attributes });
    if (this.afterWrite?.(response, data.attributes) === true) return;
    this.send(response, 201, { jsonapi: { version: '1.0' }, data: asData(type, { id, attributes }) });
  }

  private mode(isTest: boolean) {
    return this.saysMode ? { test_mode: isTest } : {};
  }

  private send(response: ServerResponse, status: number, body: object): void {
    response.writeHead(status, { 'content-type': MEDIA_TYPE, 'x-ratelimit-limit': '300' }).end(JSON.stringify(body));
  }
}

type Relations = Readonly<Record<string, { readonly data: { readonly type: string; readonly id: string } }>>;

/** Attributes that writes may have. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  customers: ['name', 'email', 'city', 'region', 'country'],
  checkouts: ['custom_price', 'product_options', 'checkout_options', 'checkout_data', 'expires_at'],
};

/** A row with what adapters must leave out. */
function asData(type: string, { id, attributes }: PeerRow): object {
  return {
    type,
    id,
    attributes: {
      ...attributes,
      total_formatted: DROPPED,
      urls: { receipt: DROPPED, ...(attributes['urls'] as object | undefined) },
    },
    relationships: { store: { links: { related: `https://${HOST}/${DROPPED}` } } },
    links: { self: `https://${HOST}/${DROPPED}` },
  };
}

/** Stores by name, all else the newest first. */
function compared(type: string, one: PeerRow, other: PeerRow): number {
  if (type === 'stores') return String(one.attributes['name']) < String(other.attributes['name']) ? -1 : 1;
  return String(one.attributes['created_at']) > String(other.attributes['created_at']) ? -1 : 1;
}

/**
 * A store with one row of each type, whose ids begin with the store's: product 11, variant 12, price 13, customer 14, order
 * 15, order item 16, subscription 17, invoice 18, subscription item 19 and discount 10 of store 1.
 */
export function fillStore(peer: PaymentsPeer, store: number): void {
  const id = (last: number) => store * 10 + last;
  const at = { created_at: '2026-11-20T10:00:00.000000Z', updated_at: '2026-11-21T10:00:00.000000Z' };
  const own = { store_id: store, ...at, test_mode: false };
  peer.put('stores', store, { name: `Store ${store}`, slug: `store-${store}`, domain: 'd', currency: 'EUR', ...at });
  peer.put('products', id(1), { ...own, name: 'Book', status: 'published', price: 1999 });
  peer.put('variants', id(2), { product_id: id(1), name: 'Paper', status: 'published', ...at });
  peer.put('prices', id(3), {
    variant_id: id(2),
    scheme: 'graduated',
    unit_price: 1999,
    tiers: [{ last_unit: 'inf', unit_price: 1999, link: DROPPED }],
    ...at,
  });
  peer.put('customers', id(4), { ...own, name: 'Ada', email: `ada@store-${store}.example`, mrr: 0 });
  peer.put('orders', id(5), {
    ...own,
    customer_id: id(4),
    order_number: 1,
    user_email: `ada@store-${store}.example`,
    currency: 'EUR',
    status: 'paid',
    total: 1999,
    refunded_amount: 0,
    refunded_at: null,
    first_order_item: { id: id(6), order_id: id(5), product_id: id(1), variant_id: id(2), url: DROPPED },
  });
  peer.put('order-items', id(6), { order_id: id(5), product_id: id(1), variant_id: id(2), price_id: id(3), ...at });
  peer.put('subscriptions', id(7), {
    ...own,
    order_id: id(5),
    order_item_id: id(6),
    product_id: id(1),
    variant_id: id(2),
    user_email: `ada@store-${store}.example`,
    status: 'active',
  });
  peer.put('subscription-invoices', id(8), {
    ...own,
    subscription_id: id(7),
    billing_reason: 'renewal',
    status: 'paid',
    refunded: false,
    currency: 'EUR',
    total: 500,
    refunded_amount: 0,
    refunded_at: null,
  });
  peer.put('subscription-items', id(9), { subscription_id: id(7), price_id: id(3), quantity: 1, ...at });
  peer.put('discounts', id(0), { ...own, name: 'Ten', code: 'TEN', amount: 10, amount_type: 'percent' });
}
