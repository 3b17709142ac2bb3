import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import type { ToolOutput } from '../../integrations/index.ts';
import { isObject, type JsonObject, outputOf, type ProviderRequest, requireShape } from '../wire/index.ts';
import type { PaymentsClient, Row } from './client.ts';
import { names } from './ids.ts';
import { STORE_ID } from './manifest.ts';
import { shownRow } from './projection.ts';
import { resourceOf } from './resources.ts';

type Arguments = Readonly<Record<string, unknown>>;

interface CheckoutArguments {
  readonly store_id: string;
  readonly variant_id: string;
  readonly custom_price?: number;
  readonly product_options?: { readonly enabled_variants?: readonly string[] } & Arguments;
  readonly checkout_options?: Arguments;
  readonly checkout_data?: {
    readonly variant_quantities?: readonly { readonly variant_id: string; readonly quantity: number }[];
  } & Arguments;
  readonly expires_at?: string;
}

/** Every variant that a checkout names, each once; the one that it sells first. */
export function variantsOf(args: Arguments): readonly [string, ...string[]] {
  const { variant_id: sold, product_options, checkout_data } = args as unknown as CheckoutArguments;
  const { enabled_variants = [] } = product_options ?? {};
  const { variant_quantities = [] } = checkout_data ?? {};
  const others = new Set([...enabled_variants, ...variant_quantities.map(({ variant_id: id }) => id)]);
  others.delete(sold);
  return [sold, ...others];
}

export function customerRequest(client: PaymentsClient, { [STORE_ID]: storeId, ...attributes }: Arguments) {
  return client.writing('customers', {
    type: 'customers',
    attributes,
    relationships: { store: related('stores', storeId) },
  });
}

/** Ids of variants are numbers in bodies; the store and the variant themselves are related by text. */
export function checkoutRequest(client: PaymentsClient, args: Arguments): ProviderRequest {
  const { store_id, variant_id, product_options, checkout_data, ...attributes } = args as unknown as CheckoutArguments;
  return client.writing('checkouts', {
    type: 'checkouts',
    attributes: {
      ...attributes,
      ...(product_options ? { product_options: withNumbers(product_options) } : {}),
      ...(checkout_data ? { checkout_data: withQuantities(checkout_data) } : {}),
    },
    relationships: { store: related('stores', store_id), variant: related('variants', variant_id) },
  });
}

function withNumbers(options: NonNullable<CheckoutArguments['product_options']>): JsonObject {
  const { enabled_variants } = options;
  return enabled_variants ? { ...options, enabled_variants: enabled_variants.map(Number) } : options;
}

function withQuantities(data: NonNullable<CheckoutArguments['checkout_data']>): JsonObject {
  const { variant_quantities } = data;
  if (!variant_quantities) return data;
  const quantities = variant_quantities.map(({ variant_id: id, quantity }) => ({ variant_id: Number(id), quantity }));
  return { ...data, variant_quantities: quantities };
}

function related(type: string, id: unknown): JsonObject {
  return { data: { type, id } };
}

/** Refuses what no schema tells of a checkout; throws 400 at the argument. */
export function requireCheckout(args: Arguments): void {
  const { product_options: options, checkout_data: data, expires_at: expiry } = args as unknown as CheckoutArguments;
  for (const name of ['redirect_url', 'receipt_link_url'] as const)
    if (options?.[name] !== undefined && !isAddress(options[name]))
      throw invalid(`arguments.product_options.${name}`, EdgeIssues.invalidUri, 'must be an https URL');
  if (expiry !== undefined && !isInstant(expiry)) throw invalid('arguments.expires_at', EdgeIssues.invalidTimestamp);
  const ids = (data?.variant_quantities ?? []).map(({ variant_id: id }) => id);
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (twice !== -1)
    throw invalid(`arguments.checkout_data.variant_quantities.${twice}.variant_id`, EdgeIssues.duplicateItem);
}

/** Where a browser may be sent: https, no credentials, no white space or controls. */
function isAddress(value: unknown): value is string {
  if (typeof value !== 'string' || /[\s\p{Cc}]/u.test(value) || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return protocol === 'https:' && username === '' && password === '';
}

function isInstant(text: string): boolean {
  try {
    return Temporal.Instant.from(text).epochMilliseconds > 0;
  } catch {
    return false;
  }
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** What a created customer is told as; a customer of another store is an answer that cannot be believed. */
export function createdCustomer(answer: Answer, storeId: unknown): ToolOutput {
  const row = createdRow('customers', answer);
  requireShape(names(row.attributes[STORE_ID], String(storeId)), answer);
  return customerOutput(row);
}

export function customerOutput(row: Row): ToolOutput {
  return outputOf({ item: shownRow(resourceOf('customers'), row) });
}

/** The id of a checkout, and the address at which somebody pays; one of another store cannot be believed. */
export function createdCheckout(answer: Answer, storeId: unknown): ToolOutput {
  const { id, attributes } = createdRow('checkouts', answer);
  const { url, expires_at = null, test_mode, [STORE_ID]: store = storeId } = attributes;
  requireShape(isAddress(url) && names(store, String(storeId)), answer);
  return outputOf({ item: { id, url, expires_at, ...(typeof test_mode === 'boolean' ? { test_mode } : {}) } });
}

/** What was made. Its id is a number or a UUID. */
function createdRow(type: string, answer: Answer): Row {
  const data = isObject(answer.body) ? answer.body['data'] : undefined;
  const isRow = isObject(data) && data['type'] === type && isObject(data['attributes']);
  const id = isObject(data) ? String(data['id']) : '';
  requireShape(isRow && /^[0-9A-Za-z-]{1,64}$/.test(id), answer);
  return { id, attributes: data['attributes'] as JsonObject };
}
