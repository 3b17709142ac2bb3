import { isDeepStrictEqual } from 'node:util';
import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import type {
  GivenSecret,
  ListedTool,
  ProviderAccess,
  ProviderAdapter,
  ProviderNet,
  ProviderSecret,
  SavedSettings,
  ToolCall,
  ToolOutput,
  Verified,
  VerifiedResource,
} from '../../integrations/index.ts';
import type { FixedTool, Schema } from '../fixed-tools/index.ts';
import { outputOf } from '../wire/index.ts';
import { KeyValueClient } from './client.ts';
import { BATCH, KEY_VALUE_STORE, READS, TOOLS } from './manifest.ts';
import { type BatchedRead, outputOfBatch, outputOfRead, scopedArguments } from './planned-reads.ts';
import { requireReadOnly } from './read-only-proof.ts';
import { KEYS_REPORT } from './reports.ts';
import { checkedSettings, type KeyScope, type KeyValueSettings } from './settings.ts';
import { hostOfStore, storeCredential } from './store-address.ts';

const ALL: KeyScope = { mode: 'all' };

/** A serverless Redis, read over REST. */
export class KeyValueStore implements ProviderAdapter<KeyValueSettings> {
  readonly entry = KEY_VALUE_STORE;
  readonly reports = [KEYS_REPORT];

  /** Below which domains stores lie. */
  constructor(private readonly suffixes: readonly string[]) {}

  readonly hosts = (secret: ProviderSecret): readonly string[] => {
    const host = hostOfStore(urlOf(secret), this.suffixes);
    return host === undefined ? [] : [host];
  };

  givenSecret(secret: GivenSecret): GivenSecret {
    return storeCredential(secret, this.suffixes);
  }

  /** One request: whether it answers, and refuses every write. */
  async verify(access: ProviderAccess, settings: KeyValueSettings | null, net: ProviderNet): Promise<Verified> {
    await requireReadOnly(new KeyValueClient(access, net), settings?.scope ?? ALL);
    const url = urlOf(access.secret);
    return {
      account: { subject: url, label: new URL(url).host },
      details: { host: new URL(url).host },
      resources: settings ? resourcesOf(access) : [],
      observations: [{ scope: 'credential', status: 'verified' }],
    };
  }

  /** One request, inside the scope. */
  async save(
    next: KeyValueSettings,
    was: KeyValueSettings | null,
    access: ProviderAccess,
    net: ProviderNet,
  ): Promise<SavedSettings<KeyValueSettings>> {
    const settings = checkedSettings(next, was);
    await requireReadOnly(new KeyValueClient(access, net), settings.scope);
    return {
      settings,
      resources: resourcesOf(access),
      material: !isDeepStrictEqual(settings.scope, was?.scope),
      reporting: !isDeepStrictEqual(settings.reporting?.keys ?? [], was?.reporting?.keys ?? []),
    };
  }

  tools(settings: KeyValueSettings | null): readonly ListedTool[] {
    const scope = settings?.scope ?? ALL;
    return scope.mode === 'all' ? TOOLS.listed() : TOOLS.listed((...given) => withPrefix(scope.prefix, ...given));
  }

  scope(
    tool: ListedTool,
    args: Readonly<Record<string, unknown>>,
    settings: KeyValueSettings | null,
    mayCall: (toolName: string) => boolean,
  ): ToolCall {
    if (!settings) throw invalid('arguments', EdgeIssues.notPermitted, 'need a connector with settings');
    return { tool, arguments: scopedArguments(tool.name, args, settings.scope, mayCall) };
  }

  async call({ tool, arguments: args }: ToolCall, access: ProviderAccess, net: ProviderNet): Promise<ToolOutput> {
    const client = new KeyValueClient(access, net);
    const isBatch = tool.name === BATCH;
    const reads = isBatch ? (args['reads'] as readonly BatchedRead[]) : [{ tool: tool.name, arguments: args }];
    const output = await (isBatch ? outputOfBatch(client, reads) : outputOfRead(client, tool.name, args));
    const [mostCharacters] = reads.flatMap((read) => READS.get(read.tool)!.mostCharacters ?? []);
    return outputOf(output, mostCharacters === undefined ? {} : { mostCharacters });
  }
}

function urlOf(secret: ProviderSecret): string {
  return 'url' in secret ? secret.url : '';
}

/** The whole of the database, known by its address. */
function resourcesOf({ secret }: ProviderAccess): readonly VerifiedResource[] {
  const url = urlOf(secret);
  return [{ accountId: url, resourceId: 'database', name: new URL(url).host, environment: 'live' }];
}

function withPrefix(prefix: string, _: FixedTool, argument: string, schema: Schema): Schema {
  const scoped = (key: Schema) => ({ ...key, pattern: `^${escaped(prefix)}` });
  if (argument === 'key') return scoped(schema);
  return argument === 'keys' ? { ...schema, items: scoped(schema['items'] as Schema) } : schema;
}

/** As a part of a pattern of JSON Schema. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, (each) => (each === '-' ? each : `\\${each}`));
}
