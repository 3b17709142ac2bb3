import type { Schema } from '../fixed-tools/index.ts';

/** How a type is called in addresses and in the `type` of its rows. */
export type RowType =
  | 'stores'
  | 'customers'
  | 'products'
  | 'variants'
  | 'prices'
  | 'orders'
  | 'order-items'
  | 'subscriptions'
  | 'subscription-invoices'
  | 'subscription-items'
  | 'discounts';

/** What rows of one type are read by, and proven by. */
export interface Resource {
  readonly type: RowType;
  /** As tools name one, and several. */
  readonly one: string;
  readonly many: string;
  /** Whose rows have no key of their store: the parent that has one, or whose parent has. */
  readonly parent?: { readonly type: RowType; readonly key: string };
  /** Arguments of a list that narrow it, by the provider's names. */
  readonly filters: Readonly<Record<string, Schema>>;
  /** Attributes that are shown; everything else is dropped. */
  readonly shown: readonly string[];
  /** What is shown of attributes that are objects, or lists of objects. */
  readonly nested?: Readonly<Record<string, readonly string[]>>;
}

export const ID: Schema = { type: 'string', pattern: '^[0-9]{1,20}$', minLength: 1, maxLength: 20 };
export const EMAIL: Schema = { type: 'string', minLength: 3, maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' };

const oneOf = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });
/** Names, as words of one or several texts. */
const fields = (...texts: readonly string[]) => texts.flatMap((text) => text.split(' '));

export const SUBSCRIPTION_STATUSES = [
  'on_trial',
  'active',
  'paused',
  'past_due',
  'unpaid',
  'cancelled',
  'expired',
] as const;

export const RESOURCES: readonly Resource[] = [
  {
    type: 'stores',
    one: 'store',
    many: 'stores',
    filters: {},
    shown: fields(
      'name slug domain url plan country country_nicename currency total_sales total_revenue',
      'thirty_day_sales thirty_day_revenue created_at updated_at',
    ),
  },
  {
    type: 'customers',
    one: 'customer',
    many: 'customers',
    filters: { email: EMAIL },
    shown: fields(
      'store_id name email status city region country total_revenue_currency mrr created_at updated_at',
      'test_mode',
    ),
  },
  {
    type: 'products',
    one: 'product',
    many: 'products',
    filters: {},
    shown: fields(
      'store_id name slug description status thumb_url large_thumb_url buy_now_url price from_price',
      'to_price pay_what_you_want created_at updated_at test_mode',
    ),
  },
  {
    type: 'variants',
    one: 'variant',
    many: 'variants',
    parent: { type: 'products', key: 'product_id' },
    filters: { product_id: ID, status: oneOf('pending', 'draft', 'published') },
    shown: fields(
      'product_id name slug description status sort has_license_keys license_activation_limit',
      'is_license_limit_unlimited license_length_value license_length_unit is_license_length_unlimited',
      'created_at updated_at test_mode',
    ),
  },
  {
    type: 'prices',
    one: 'price',
    many: 'prices',
    parent: { type: 'variants', key: 'variant_id' },
    filters: { variant_id: ID },
    shown: fields(
      'variant_id category scheme usage_aggregation unit_price unit_price_decimal setup_fee_enabled',
      'setup_fee package_size renewal_interval_unit renewal_interval_quantity trial_interval_unit',
      'trial_interval_quantity min_price suggested_price tax_code created_at updated_at',
    ),
    nested: { tiers: fields('last_unit unit_price unit_price_decimal fixed_fee') },
  },
  {
    type: 'orders',
    one: 'order',
    many: 'orders',
    filters: { user_email: EMAIL, order_number: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } },
    shown: fields(
      'store_id customer_id identifier order_number user_name user_email currency currency_rate tax_name',
      'tax_rate tax_inclusive status refunded refunded_at subtotal subtotal_usd setup_fee setup_fee_usd',
      'discount_total discount_total_usd tax tax_usd total total_usd refunded_amount refunded_amount_usd',
      'created_at updated_at test_mode',
    ),
    nested: { first_order_item: fields('id order_id product_id variant_id price_id product_name variant_name') },
  },
  {
    type: 'order-items',
    one: 'order_item',
    many: 'order_items',
    parent: { type: 'orders', key: 'order_id' },
    filters: { order_id: ID, product_id: ID, variant_id: ID },
    shown: fields(
      'order_id product_id variant_id price_id product_name variant_name price quantity created_at',
      'updated_at test_mode',
    ),
  },
  {
    type: 'subscriptions',
    one: 'subscription',
    many: 'subscriptions',
    filters: {
      order_id: ID,
      order_item_id: ID,
      product_id: ID,
      variant_id: ID,
      user_email: EMAIL,
      status: oneOf(...SUBSCRIPTION_STATUSES),
    },
    shown: fields(
      'store_id customer_id order_id order_item_id product_id variant_id product_name variant_name',
      'user_name user_email status card_brand card_last_four cancelled trial_ends_at billing_anchor',
      'renews_at ends_at created_at updated_at test_mode',
    ),
    nested: {
      pause: fields('mode resumes_at'),
      first_subscription_item: fields('id subscription_id price_id quantity'),
    },
  },
  {
    type: 'subscription-invoices',
    one: 'subscription_invoice',
    many: 'subscription_invoices',
    filters: {
      status: oneOf('pending', 'paid', 'void', 'refunded', 'partial_refund'),
      refunded: { type: 'boolean' },
      subscription_id: ID,
    },
    shown: fields(
      'store_id subscription_id customer_id billing_reason card_brand card_last_four currency currency_rate',
      'status tax_inclusive refunded refunded_at subtotal subtotal_usd discount_total discount_total_usd',
      'tax tax_usd total total_usd refunded_amount refunded_amount_usd created_at updated_at test_mode',
    ),
  },
  {
    type: 'subscription-items',
    one: 'subscription_item',
    many: 'subscription_items',
    parent: { type: 'subscriptions', key: 'subscription_id' },
    filters: { subscription_id: ID, price_id: ID },
    shown: fields('subscription_id price_id quantity is_usage_based created_at updated_at'),
  },
  {
    type: 'discounts',
    one: 'discount',
    many: 'discounts',
    filters: {},
    shown: fields(
      'store_id name code amount amount_type is_limited_to_products is_limited_redemptions max_redemptions',
      'starts_at expires_at duration duration_in_months status created_at updated_at test_mode',
    ),
  },
];

const BY_TYPE: ReadonlyMap<RowType, Resource> = new Map(RESOURCES.map((each) => [each.type, each]));

export function resourceOf(type: RowType): Resource {
  return BY_TYPE.get(type)!;
}
