import type { CatalogEntry } from '../../integrations/index.ts';
import { type FixedTool, FixedTools, type Schema } from '../fixed-tools/index.ts';
import { EMAIL, ID, type Resource, RESOURCES } from './resources.ts';

export const HOST = 'api.lemonsqueezy.com';

export const PAYMENTS: CatalogEntry = {
  key: 'payments-provider',
  version: 1,
  status: 'active',
  name: 'Payments provider',
  description: 'Stores, customers, products, orders, subscriptions and discounts of a Lemon Squeezy account.',
  connectionType: 'api_key',
  purposes: ['payments'],
  credentialKinds: ['api_key'],
  authorization: 'none',
  fixedReadOnly: false,
  enabledByCredential: true,
  settings: 'required',
  settingsVerified: true,
  hasReportingCredential: false,
  tools: 'fixed',
  defaultDepartments: [],
  inCatalog: true,
};

/** Stores that one connector may reach. */
export const MOST_STORES = 50;

export const CREATE_CUSTOMER = 'create_customer';
export const CREATE_CHECKOUT = 'create_checkout';
/** The argument that the settings bound, in every tool that has it. */
export const STORE_ID = 'store_id';

const PAGING = {
  page: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1, description: 'From 1' },
  page_size: { type: 'integer', minimum: 1, maximum: 100, default: 25, description: 'Rows of a page' },
} as const satisfies Readonly<Record<string, Schema>>;

const STORE: Schema = { ...ID, description: 'One of the stores that the connector reaches' };

function listOf({ many, type, filters, parent }: Resource): FixedTool {
  const isStores = type === 'stores';
  return {
    name: `list_${many}`,
    title: `List ${words(many)}`,
    description: isStores
      ? 'The stores that the connector reaches, by name. Amounts are integers of the smallest unit.'
      : `The ${words(many)} of ${parent ? `one ${words(parent.key.slice(0, -3))} of a store` : 'a store'}, the newest first. Amounts are integers of the smallest unit of their currency.`,
    access: 'read',
    properties: { ...(isStores ? {} : { [STORE_ID]: STORE }), ...filters, ...PAGING },
    required: isStores ? [] : [STORE_ID, ...(parent ? [parent.key] : [])],
  };
}

function getOf({ one, type }: Resource): FixedTool {
  const isStore = type === 'stores';
  return {
    name: `get_${one}`,
    title: `Get ${article(one)} ${words(one)}`,
    description: isStore
      ? 'One of the stores that the connector reaches.'
      : `One ${words(one)} of a store, by its id. Amounts are integers of the smallest unit of their currency.`,
    access: 'read',
    properties: isStore ? { [STORE_ID]: STORE } : { [STORE_ID]: STORE, id: ID },
    required: isStore ? [STORE_ID] : [STORE_ID, 'id'],
  };
}

const text = (maxLength: number): Schema => ({ type: 'string', minLength: 1, maxLength });
const HTTPS: Schema = { type: 'string', pattern: '^https://[^\\s]+$', minLength: 9, maxLength: 2_000 };
const FLAG: Schema = { type: 'boolean' };
const QUANTITY: Schema = { type: 'integer', minimum: 1, maximum: 1_000 };

/** Of a variant in a body, where ids are numbers: one that a number holds exactly. */
const NUMBER_ID: Schema = { type: 'string', pattern: '^[1-9][0-9]{0,14}$', maxLength: 15 };

function closed(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}

const WRITES: readonly FixedTool[] = [
  {
    name: CREATE_CUSTOMER,
    title: 'Create a customer',
    description: 'Adds a customer to a store. Sent once; the provider refuses an address that the store has already.',
    access: 'write',
    properties: {
      [STORE_ID]: STORE,
      name: text(255),
      email: EMAIL,
      city: text(100),
      region: text(100),
      country: { type: 'string', pattern: '^[A-Z]{2}$', maxLength: 2, description: 'ISO 3166-1 alpha-2' },
    },
    required: [STORE_ID, 'name', 'email'],
  },
  {
    name: CREATE_CHECKOUT,
    title: 'Create a checkout',
    description:
      'Makes the page on which somebody pays for a variant; its address is in the result. Every variant that it names must be of the store. Sent once.',
    access: 'write',
    properties: {
      [STORE_ID]: STORE,
      variant_id: ID,
      custom_price: { type: 'integer', minimum: 0, maximum: 99_999_999, description: 'In the smallest unit' },
      product_options: closed({
        name: text(255),
        description: text(10_000),
        redirect_url: HTTPS,
        receipt_button_text: text(255),
        receipt_link_url: HTTPS,
        receipt_thank_you_note: text(2_000),
        enabled_variants: { type: 'array', items: NUMBER_ID, minItems: 1, maxItems: 50, uniqueItems: true },
      }),
      checkout_options: closed({
        embed: FLAG,
        media: FLAG,
        logo: FLAG,
        desc: FLAG,
        discount: FLAG,
        skip_trial: FLAG,
        subscription_preview: FLAG,
        dark: FLAG,
        quantity: QUANTITY,
      }),
      checkout_data: closed({
        email: EMAIL,
        name: text(255),
        discount_code: text(255),
        custom: {
          type: 'object',
          maxProperties: 20,
          propertyNames: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$', maxLength: 64 },
          additionalProperties: { type: 'string', maxLength: 255 },
        },
        variant_quantities: {
          type: 'array',
          minItems: 1,
          maxItems: 50,
          items: closed({ variant_id: NUMBER_ID, quantity: QUANTITY }, ['variant_id', 'quantity']),
        },
      }),
      expires_at: {
        type: 'string',
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,6})?Z$',
        maxLength: 27,
        description: 'In UTC, such as 2026-12-24T18:00:00Z',
      },
    },
    required: [STORE_ID, 'variant_id'],
  },
];

export const TOOLS = new FixedTools([...RESOURCES.flatMap((each) => [listOf(each), getOf(each)]), ...WRITES]);

/** What a tool that reads asks for. */
export interface Reading {
  readonly verb: 'list' | 'get';
  readonly resource: Resource;
}

/** By the tool's name; the tools that write are not in it. */
export const READINGS: ReadonlyMap<string, Reading> = new Map(
  RESOURCES.flatMap((resource): [string, Reading][] => [
    [`list_${resource.many}`, { verb: 'list', resource }],
    [`get_${resource.one}`, { verb: 'get', resource }],
  ]),
);

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function article(word: string): 'a' | 'an' {
  return /^[aeio]/.test(word) ? 'an' : 'a';
}
