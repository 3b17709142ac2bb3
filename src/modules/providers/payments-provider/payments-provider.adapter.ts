import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import {
  IntegrationIssues,
  type ListedTool,
  type ProviderAccess,
  type ProviderAdapter,
  ProviderFailure,
  type ProviderNet,
  type SavedSettings,
  type SentCall,
  type ToolCall,
  type ToolOutput,
  type Verified,
  type VerifiedResource,
} from '../../integrations/index.ts';
import { outputOf, sendOnce } from '../wire/index.ts';
import { PaymentsClient, type Row, type Stores } from './client.ts';
import { names } from './ids.ts';
import { CREATE_CHECKOUT, CREATE_CUSTOMER, HOST, PAYMENTS, READINGS, STORE_ID, TOOLS } from './manifest.ts';
import { type ReadArguments, StoreReads } from './reads.ts';
import { REPORTS } from './reports.ts';
import { chosenStores, type PaymentsSettings, reachSame, requireFew, settingsOf } from './settings.ts';
import {
  checkoutRequest,
  createdCheckout,
  createdCustomer,
  customerOutput,
  customerRequest,
  requireCheckout,
  variantsOf,
} from './writes.ts';

/** A merchant of record, asked for the stores that its owner chose. */
export class PaymentsProvider implements ProviderAdapter<PaymentsSettings> {
  readonly entry = PAYMENTS;
  readonly hosts = [HOST];
  readonly reports = REPORTS;

  /** The account is known by its mode alone: a key tells nothing else of it that may be asked for. */
  async verify({ secret }: ProviderAccess, settings: PaymentsSettings | null, net: ProviderNet): Promise<Verified> {
    const client = new PaymentsClient(secret, net);
    const found = await client.stores();
    const { mode, stores, truncated } = found;
    const chosen = await storesOf(client, found, settings?.storeIds ?? []);
    return {
      account: {
        subject: mode ?? null,
        label: mode === undefined ? null : mode === 'test' ? 'Test mode' : 'Live mode',
      },
      details: { mode: mode ?? null, stores: stores.length, truncated },
      resources: chosen.flatMap(({ row }) => (row ? [resourceOf(row, mode)] : [])),
      observations: [
        { scope: 'credential', status: 'verified' },
        ...chosen.map(({ id, row }) =>
          row
            ? ({ scope: `resource:${id}`, status: 'verified' } as const)
            : ({ scope: `resource:${id}`, status: 'failed', code: 'resource_missing' } as const),
        ),
      ],
    };
  }

  async save(
    next: PaymentsSettings,
    was: PaymentsSettings | null,
    { secret }: ProviderAccess,
    net: ProviderNet,
  ): Promise<SavedSettings<PaymentsSettings>> {
    const given = chosenStores(next);
    const client = new PaymentsClient(secret, net);
    const found = await client.stores();
    const all = found.stores.map(({ id }) => id);
    const path = given ? 'settings.storeIds' : 'settings.selectAll';
    if (!given) requireFew(found.truncated ? Number.POSITIVE_INFINITY : all.length, path);
    if (!given && all.length === 0)
      throw invalid(path, IntegrationIssues.providerRejected, 'chooses nothing: the account has no store');
    const chosen = await storesOf(client, found, given ?? all);
    const missing = chosen.findIndex(({ row }) => !row);
    if (missing !== -1) throw invalid(`${path}.${missing}`, IntegrationIssues.providerRejected);
    const settings = settingsOf(chosen.map(({ id }) => id));
    return {
      settings,
      resources: chosen.map(({ row }) => resourceOf(row!, found.mode)),
      material: !reachSame(was, settings),
      reporting: false,
    };
  }

  tools(settings: PaymentsSettings | null): readonly ListedTool[] {
    if (!settings) return TOOLS.listed();
    const { storeIds } = settings;
    return TOOLS.listed((_, argument, schema) => (argument === STORE_ID ? { ...schema, enum: storeIds } : schema));
  }

  scope(tool: ListedTool, args: Readonly<Record<string, unknown>>, settings: PaymentsSettings | null): ToolCall {
    const checked = TOOLS.checked(tool.name, args);
    const storeId = checked[STORE_ID];
    if (storeId !== undefined && !settings?.storeIds.includes(storeId as string))
      throw invalid(`arguments.${STORE_ID}`, EdgeIssues.unknownValue, 'must be one of the stores of the connector');
    if (tool.name === CREATE_CHECKOUT) requireCheckout(checked);
    // The stores that a list without an argument is about; they are those of the settings that the call was judged by.
    return { tool, arguments: READINGS.has(tool.name) ? { ...checked, storeIds: settings?.storeIds ?? [] } : checked };
  }

  async call({ tool, arguments: given }: ToolCall, { secret }: ProviderAccess, net: ProviderNet): Promise<ToolOutput> {
    const { verb, resource } = READINGS.get(tool.name)!;
    const { storeIds, ...rest } = given;
    const args = rest as ReadArguments;
    const reads = new StoreReads(new PaymentsClient(secret, net));
    if (resource.type === 'stores')
      return outputOf(
        await (verb === 'list'
          ? reads.listStores(storeIds as readonly string[], args)
          : reads.getStore(String(args[STORE_ID]))),
      );
    return outputOf(await (verb === 'list' ? reads.list(resource, args) : reads.get(resource, args)));
  }

  /** Proves each variant that a checkout names; a customer names nothing but its store. */
  async prepare({ tool, arguments: args }: ToolCall, { secret }: ProviderAccess, net: ProviderNet): Promise<void> {
    const client = new PaymentsClient(secret, net);
    if (tool.name === CREATE_CUSTOMER) return;
    await new StoreReads(client).proveVariants(variantsOf(args), String(args[STORE_ID]));
  }

  send(
    { tool, arguments: args }: ToolCall,
    _: unknown,
    { secret }: ProviderAccess,
    net: ProviderNet,
  ): Promise<SentCall> {
    const client = new PaymentsClient(secret, net);
    return tool.name === CREATE_CUSTOMER
      ? sendOnce(net, customerRequest(client, args), (answer) => createdCustomer(answer, args[STORE_ID]))
      : sendOnce(net, checkoutRequest(client, args), (answer) => createdCheckout(answer, args[STORE_ID]));
  }

  /** A customer of that address that came to be since is the one; that there is none proves nothing. Checkouts cannot be read. */
  async settle(
    { tool, arguments: args }: ToolCall,
    sentAt: string,
    { secret }: ProviderAccess,
    net: ProviderNet,
  ): Promise<SentCall | undefined> {
    if (tool.name !== CREATE_CUSTOMER) return undefined;
    const { store_id: storeId, email } = args as { readonly store_id: string; readonly email: string };
    const client = new PaymentsClient(secret, net);
    const { rows } = await client.list('customers', { page: 1, size: 25, filters: { [STORE_ID]: storeId, email } });
    const made = rows.find(
      ({ attributes }) =>
        names(attributes[STORE_ID], storeId) &&
        isSameAddress(attributes['email'], email) &&
        isSince(attributes, sentAt),
    );
    return made && { outcome: 'succeeded', result: customerOutput(made) };
  }
}

interface ChosenStore {
  readonly id: string;
  readonly row: Row | undefined;
}

/** Chosen stores as they are now. Those beyond what a list shows are asked for one by one. */
function storesOf(
  client: PaymentsClient,
  { stores, truncated }: Stores,
  ids: readonly string[],
): Promise<ChosenStore[]> {
  const listed = new Map(stores.map((row) => [row.id, row]));
  return Promise.all(
    ids.map(async (id) => ({ id, row: listed.get(id) ?? (truncated ? await storeAt(client, id) : undefined) })),
  );
}

async function storeAt(client: PaymentsClient, id: string): Promise<Row | undefined> {
  try {
    return await client.get('stores', id);
  } catch (error) {
    if (error instanceof ProviderFailure && error.failure.code === 'not_found') return undefined;
    throw error;
  }
}

function resourceOf({ id, attributes }: Row, mode: Stores['mode']): VerifiedResource {
  const { name, currency } = attributes;
  return {
    accountId: id,
    resourceId: id,
    name: typeof name === 'string' ? name.slice(0, 200) : id,
    environment: mode ?? 'unknown',
    ...(typeof currency === 'string' ? { currency: currency.slice(0, 3) } : {}),
  };
}

function isSameAddress(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase();
}

/** The provider may write whole seconds, so that of the sending counts from its beginning. */
function isSince({ created_at: created }: Row['attributes'], sentAt: string): boolean {
  return typeof created === 'string' && Date.parse(created) >= Math.floor(Date.parse(sentAt) / 1_000) * 1_000;
}
