import type { EgressSockets } from '../../kernel/egress/index.ts';
import type { Risk } from '../organizations/index.ts';
import {
  type CredentialKind,
  type McpMemory,
  type Observation,
  type ToolAccess,
  type VerifiedResource,
  OWNER_MADE_PREFIX,
  RESERVED_KEYS,
} from './integration.state.ts';
import type { CatalogEntry } from './catalog/catalog-entry.ts';

/** A tool as its provider, or an entry of the catalog, defines it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  /** JSON Schema 2020-12 of the arguments, an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** A tool with what follows from its definition. */
export interface ListedTool extends ToolDefinition {
  readonly access: ToolAccess;
  readonly risk: Risk;
  /** Whether the definition demands that a person sees each call. */
  readonly reviewRequired: boolean;
  /** SHA-256 of the RFC 8785 text of what the definition has. */
  readonly definitionHash: string;
}

/** Why a tool cannot be offered. */
export const EXCLUSIONS = [
  'invalid_name',
  'duplicate_name',
  'too_large',
  'too_deep',
  'invalid_schema',
  'remote_reference',
  'invalid_header',
  'over_limit',
] as const;

/** A tool that cannot be offered. */
export interface ExcludedTool {
  readonly name: string;
  readonly reason: (typeof EXCLUSIONS)[number];
}

/** What a server calls itself. Never instructions: shown to owners only. */
export interface ServerIdentity {
  readonly name: string;
  readonly version: string;
}

export interface Inventory {
  readonly tools: readonly ListedTool[];
  readonly excluded: readonly ExcludedTool[];
  readonly server: ServerIdentity | null;
  /** What the server spoke; null of providers that do not speak MCP. */
  readonly mcp: McpMemory | null;
}

/** The fields of a secret that a request gave, as they are sealed. */
export type GivenSecret = Readonly<Record<string, string>>;

/** The opened secret of a credential, as the adapter's requests use it. */
export type ProviderSecret =
  | { readonly kind: 'none' }
  | {
      /** Headers of one request, which never go anywhere else. Signed one by one where the provider wants that. */
      readonly kind: 'authorized';
      authorize(method: string, url: string): Readonly<Record<string, string>>;
    }
  | {
      readonly kind: Exclude<CredentialKind, 'none' | 'oauth1' | 'oauth2'>;
      readonly [field: string]: string;
    };

/** Whom an adapter asks, and with what. */
export interface ProviderAccess {
  /** For whom. */
  readonly organizationId?: string;
  readonly endpoint: string | null;
  readonly secret: ProviderSecret;
  /** What the server spoke last. */
  readonly mcp: McpMemory | null;
}

/** The way out, bound to the hosts and bounds of the adapter, the organization's blocked domains and the caller's signal. */
export interface ProviderNet {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** For an adapter whose driver opens sockets by itself; absent where the deployment reaches the outside by a proxy only. */
  readonly sockets?: ProviderSockets;
}

/** What a driver needs: servers that were judged by the rules of the way out, and one of the connector's places. */
export interface ProviderSockets extends EgressSockets {
  /** The connector, and what its organization forbids; what a driver keeps is for nobody else. */
  readonly connector: string;
}

export const FAILURE_CODES = [
  'out_of_scope',
  'not_found',
  'rejected',
  'credential_refused',
  'scope_lost',
  'rate_limited',
  'unavailable',
  'bad_answer',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** Why a provider did not do what was asked; its texts stay out of it. */
export interface Failure {
  readonly code: FailureCode;
  /** HTTP status of the provider's answer; null where there was none. */
  readonly status: number | null;
  /** Seconds that the provider asked to wait. */
  readonly retryAfterSeconds: number | null;
  /** False proves that nothing of the request has left. */
  readonly sent: boolean;
  /** A more exact word of ours, such as `needs_index`. */
  readonly reason?: string;
  /** Of which verified resource it is said; of the credential, or the provider as a whole, where it is not. */
  readonly resource?: string;
  /** Scopes that a provider named as missing. */
  readonly requiredScopes?: readonly string[];
}

export class ProviderFailure extends Error {
  constructor(readonly failure: Failure) {
    super(`The provider's answer is ${failure.code}.`);
    this.name = 'ProviderFailure';
  }
}

/** What a provider says of a credential, and of saved settings where there are some. */
export interface Verified {
  readonly account: { readonly subject: string | null; readonly label: string | null };
  /** Shown with the credential, without secrets. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Of the settings; empty without. */
  readonly resources: readonly VerifiedResource[];
  /** Without times, which the database gives. */
  readonly observations: readonly Omit<Observation, 'checkedAt' | 'failures'>[];
  /** Where tools are discovered: as listed on the way. */
  readonly inventory?: Inventory;
}

/** What a provider says of the credential that only the collector uses. */
export type VerifiedReporting = Pick<Verified, 'account' | 'details'>;

export interface SavedSettings<Settings> {
  readonly settings: Settings;
  readonly resources: readonly VerifiedResource[];
  /** Whether something changed that runs reach data by. */
  readonly material: boolean;
  /** Whether something changed that only the collector uses. */
  readonly reporting: boolean;
}

/** A call with its scope proven and its arguments in their canonical form. */
export interface ToolCall {
  readonly tool: ListedTool;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What agents get of a call, without secrets. */
export interface ToolOutput {
  readonly output: object;
  /** Where the output was cut to its bounds. */
  readonly truncated: boolean;
}

export interface CallFailure {
  /** One of ours, never the provider's text. */
  readonly code: string;
  readonly status: number | null;
  /** Scopes that the provider named as missing. */
  readonly requiredScopes?: readonly string[];
}

/** What became of a write that was sent; whatever else happens, an exception too, is ambiguous. */
export type SentCall =
  | { readonly outcome: 'succeeded'; readonly result: ToolOutput }
  | { readonly outcome: 'failed' | 'not_executed' | 'ambiguous'; readonly error: CallFailure };

/** One connection to a provider that lists its tools, for one operation. */
export interface ToolSession {
  /** Lists until the tool is found; undefined where it is not there. */
  find(name: string): Promise<ListedTool | undefined>;
  /** Lists everything. */
  list(): Promise<Inventory>;
  /** Reads; throws `ProviderFailure`. */
  read(call: ToolCall): Promise<ToolOutput>;
  /** Writes, once, on a socket of its own, without a retry. */
  write(call: ToolCall, signal: AbortSignal): Promise<SentCall>;
  /** What the server spoke. */
  readonly mcp: McpMemory | null;
  close(): Promise<void>;
}

/**
 * One provider: how it is asked. No rows, no state, no policy. Implemented by each folder of `providers`; everything that
 * reaches the network throws `ProviderFailure`.
 */
export interface ProviderAdapter<Settings = unknown> {
  readonly entry: CatalogEntry;
  /**
   * Exact hosts that it may reach, which may follow from the secret where owners name them; undefined where the row's
   * endpoint says it.
   */
  readonly hosts?: readonly string[] | ((secret: ProviderSecret) => readonly string[]);
  /** Brings a credential that a request gave into the form that is kept; throws 400 at the field that cannot be right. */
  givenSecret?(secret: GivenSecret): GivenSecret;
  /** Asks whether a credential is good and whose it is. */
  verify(access: ProviderAccess, settings: Settings | null, net: ProviderNet): Promise<Verified>;
  /** Checks settings live and completes them. Without it the entry has none. */
  save?(
    next: Settings,
    was: Settings | null,
    access: ProviderAccess,
    net: ProviderNet,
  ): Promise<SavedSettings<Settings>>;
  /** Asks whether a credential of the collector is good, and of the account of the connection. */
  verifyReporting?(
    secret: ProviderSecret,
    settings: Settings | null,
    access: ProviderAccess,
    net: ProviderNet,
  ): Promise<VerifiedReporting>;
  /** The fixed tools, the scope of the settings written into their schemas. */
  tools?(settings: Settings | null): readonly ListedTool[];
  /** Connects to a provider whose tools are discovered. */
  open?(access: ProviderAccess, net: ProviderNet): Promise<ToolSession>;
  /**
   * Checks the arguments and the scope without any I/O. Throws 400 with the issue at the argument (`arguments/…`). A tool
   * that carries out others asks which of them may be called.
   */
  scope(
    tool: ListedTool,
    args: Readonly<Record<string, unknown>>,
    settings: Settings | null,
    mayCall: (toolName: string) => boolean,
  ): ToolCall;
  /** A read of a fixed tool, with the proofs that go before it. */
  call?(call: ToolCall, access: ProviderAccess, net: ProviderNet): Promise<ToolOutput>;
  /** What a write of a fixed tool must know before; changes nothing. */
  prepare?(call: ToolCall, access: ProviderAccess, net: ProviderNet): Promise<unknown>;
  /** Sends a write, once; providers that know one request again are given the action's id for that. */
  send?(
    call: ToolCall,
    prepared: unknown,
    access: ProviderAccess,
    net: ProviderNet,
    actionId: string,
  ): Promise<SentCall>;
  /** Looks what became of an ambiguous write; undefined while that is not certain. */
  settle?(call: ToolCall, sentAt: string, access: ProviderAccess, net: ProviderNet): Promise<SentCall | undefined>;
  /** What it tells for metrics. */
  readonly reports?: readonly Report<Settings>[];
}

/** One way in which figures are read, a page or a window at a time. Stores and publishes nothing. */
export interface Report<Settings = unknown> {
  /** Such as `orders`. */
  readonly key: string;
  /** Rises when its entries would mean something else. */
  readonly version: number;
  /** Which of its measures and cuts it yields, by name. */
  readonly measures: readonly string[];
  /** Asks for what comes next; at most one page, or one request with its proofs. */
  next(request: ReportRequest<Settings>, access: ProviderAccess, net: ProviderNet): Promise<ReportPage>;
}

export interface ReportRequest<Settings> {
  readonly settings: Settings;
  readonly resource: VerifiedResource;
  /** The first day, and the day after the last, as ISO dates. */
  readonly from: string;
  readonly to: string;
  /** In which instants become days, where the provider has no days of its own. */
  readonly timezone: string;
  readonly grain: 'day' | 'week' | 'month';
  /** That of the page before; null at the beginning. */
  readonly checkpoint: Readonly<Record<string, unknown>> | null;
}

export interface ReportPage {
  readonly items: readonly ReportItem[];
  /** With which the next page is asked for; null where nothing is left. */
  readonly checkpoint: Readonly<Record<string, unknown>> | null;
  /** The first day that was read whole where the provider, or a bound, cut the rest off. */
  readonly wholeFrom?: string;
  /** Seconds for which it should not be asked again, because little of what it grants is left. */
  readonly restSeconds?: number;
  /** What the provider says of how it counted. */
  readonly reporting?: Readonly<Record<string, unknown>>;
}

/** What one thing at the provider, or one row of its counting, adds. Read again, it replaces what it said before. */
export interface ReportItem {
  readonly key: string;
  readonly entries: readonly ReportEntry[];
}

export interface ReportEntry {
  readonly measure: string;
  /** The first day of the period, as an ISO date. */
  readonly period: string;
  /** The value of the cut, where the measure has one. */
  readonly cut?: string;
  readonly currency?: string;
  /** A decimal as text, in major units; null where there is none. */
  readonly value: string | null;
  readonly reason?: 'missing_value' | 'non_numeric' | 'unit_unverified' | 'unsupported_capability' | 'truncated';
}

const RESERVED: ReadonlySet<string> = new Set(RESERVED_KEYS);

/** Port: declared here, implemented by the folders of `providers`. */
export class ProviderAdapters {
  private readonly adapters = new Map<string, ProviderAdapter>();

  register<Settings>(adapter: ProviderAdapter<Settings>): void {
    const { key, inCatalog } = adapter.entry;
    if (inCatalog && (key.startsWith(OWNER_MADE_PREFIX) || RESERVED.has(key)))
      throw new Error(`No entry of the catalog may be called ${key}.`);
    if (this.adapters.has(key)) throw new Error(`Two adapters serve connectors of the kind ${key}.`);
    this.adapters.set(key, adapter);
  }

  /** The adapter of a kind; undefined where the release has none any more. */
  of(kind: string): ProviderAdapter | undefined {
    return this.adapters.get(kind);
  }

  /** The entries of the catalog, in the order of their keys; the kind of owners' own servers is none of them. */
  entries(): readonly CatalogEntry[] {
    return [...this.adapters.values()]
      .map(({ entry }) => entry)
      .filter(({ inCatalog }) => inCatalog)
      .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  }
}
