import type { Document } from 'mongodb';
import { canonicalDigest } from '../../../kernel/crypto/index.ts';
import { invalid } from '../../../kernel/errors/index.ts';
import {
  type GivenSecret,
  IntegrationIssues,
  type ListedTool,
  type ProviderAccess,
  type ProviderAdapter,
  type ProviderNet,
  type SavedSettings,
  type ToolCall,
  type ToolOutput,
  type Verified,
  type VerifiedResource,
} from '../../integrations/index.ts';
import { failed, isObject } from '../wire/index.ts';
import type { ClusterLogin } from './cluster.ts';
import { ClusterClients, type ClusterSession } from './cluster-clients.ts';
import { clusterHost } from './cluster-host.ts';
import { collectionsOf, hasDayIndex, sampleDatabase } from './inspection.ts';
import { DOCUMENT_DB } from './manifest.ts';
import { createdReport } from './reports.ts';
import { checkedSettings, type DocumentDbSettings, resourceId } from './settings.ts';
import { carryOut, type DocumentDbCall, scopedCall, scopedTools } from './tools.ts';

/** Rights with which a user changes something. */
const WRITING: ReadonlySet<string> = new Set([
  'anyAction',
  'bypassDocumentValidation',
  'collMod',
  'convertToCapped',
  'createCollection',
  'createIndex',
  'createRole',
  'createUser',
  'dropCollection',
  'dropDatabase',
  'dropIndex',
  'dropRole',
  'dropUser',
  'grantRole',
  'insert',
  'internal',
  'remove',
  'renameCollectionSameDB',
  'restore',
  'revokeRole',
  'update',
]);

/** Document databases: asked by the driver, of which no more is used than what reads. */
export class DocumentDatabases implements ProviderAdapter<DocumentDbSettings> {
  readonly entry = DOCUMENT_DB;
  readonly reports = [createdReport((access, net, work) => this.use(access, net, work))];

  /** The domains are those below which clusters lie. */
  constructor(
    private readonly domains: readonly string[],
    readonly clients = new ClusterClients(),
  ) {}

  givenSecret(secret: GivenSecret): GivenSecret {
    return this.loginOf(secret, 'clusterHost');
  }

  /** A user of a cluster as it was given; 400 at the field of the host where that is none that may be reached. */
  loginOf(secret: GivenSecret, field: string): GivenSecret {
    return { ...secret, clusterHost: clusterHost(secret['clusterHost'] ?? '', this.domains, field) };
  }

  async verify(access: ProviderAccess, settings: DocumentDbSettings | null, net: ProviderNet): Promise<Verified> {
    const { clusterHost: subject, username } = loginOf(access);
    return this.use(access, net, async (session) => {
      await session.ask((client) => client.db('admin').command({ ping: 1 }));
      const status = await session.ask((client) =>
        client.db('admin').command({ connectionStatus: 1, showPrivileges: true }),
      );
      const there = settings ? new Set(await collectionsOf(session, settings.databaseName)) : new Set<string>();
      return {
        account: { subject, label: subject },
        details: { clusterHost: subject, username, writePrivileges: writePrivileges(status) },
        resources: settings ? resourcesOf(settings, subject) : [],
        observations: [
          { scope: 'credential', status: 'verified' },
          ...(settings?.collections ?? []).map(({ name }) => {
            const scope = `resource:${resourceId(settings!, name)}`;
            return there.has(name)
              ? ({ scope, status: 'verified' } as const)
              : ({ scope, status: 'failed', code: 'resource_missing' } as const);
          }),
        ],
      };
    });
  }

  async save(
    next: DocumentDbSettings,
    was: DocumentDbSettings | null,
    access: ProviderAccess,
    net: ProviderNet,
  ): Promise<SavedSettings<DocumentDbSettings>> {
    const settings = checkedSettings(next, was);
    await this.use(access, net, (session) => requireAllThere(settings, session));
    return {
      settings,
      resources: resourcesOf(settings, loginOf(access).clusterHost),
      material: scopeDigest(settings) !== scopeDigest(was),
      reporting: reportingDigest(settings) !== reportingDigest(was),
    };
  }

  tools(settings: DocumentDbSettings | null): readonly ListedTool[] {
    return scopedTools(settings);
  }

  scope(
    tool: ListedTool,
    args: Readonly<Record<string, unknown>>,
    settings: DocumentDbSettings | null,
  ): DocumentDbCall {
    return scopedCall(tool, args, settings);
  }

  async call(call: ToolCall, access: ProviderAccess, net: ProviderNet): Promise<ToolOutput> {
    // Owners are told what the deployment lacks; a run can only wait.
    if (!net.sockets) throw failed('unavailable', { sent: false });
    return this.use(access, net, (session) => carryOut(call as DocumentDbCall, session));
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.clients.close();
  }

  /** What there is to choose from; persists nothing. */
  sample(databaseName: string, access: ProviderAccess, net: ProviderNet) {
    return this.use(access, net, (session) => sampleDatabase(session, databaseName));
  }

  private use<T>(access: ProviderAccess, net: ProviderNet, work: (session: ClusterSession) => Promise<T>): Promise<T> {
    return this.clients.use(net, loginOf(access), work);
  }
}

function loginOf({ secret }: ProviderAccess): ClusterLogin {
  if (secret.kind !== 'srv') throw new TypeError('Document databases are asked with a user of a cluster.');
  const { clusterHost: host, username, password } = secret;
  return { clusterHost: host!, username: username!, password: password! };
}

async function requireAllThere(
  { databaseName, collections, reporting }: DocumentDbSettings,
  session: ClusterSession,
): Promise<void> {
  const there = new Set(await collectionsOf(session, databaseName));
  const missing = collections.findIndex(({ name }) => !there.has(name));
  if (missing !== -1)
    throw invalid(
      `settings.collections.${missing}.name`,
      IntegrationIssues.providerRejected,
      'is no collection of the database that the user may read',
    );
  for (const [collection, field] of Object.entries(reporting?.creationFields ?? {}))
    if (!(await hasDayIndex(session, databaseName, collection, field)))
      throw invalid(
        `settings.reporting.creationFields.${collection}`,
        IntegrationIssues.needsIndex,
        'must lead an index that is neither partial nor hidden, and in no document be a list',
      );
}

function resourcesOf(settings: DocumentDbSettings, accountId: string): readonly VerifiedResource[] {
  return settings.collections.map(({ name }) => ({
    accountId,
    resourceId: resourceId(settings, name),
    name,
    environment: 'live',
  }));
}

function scopeDigest(settings: DocumentDbSettings | null): string {
  return canonicalDigest({ databaseName: settings?.databaseName ?? null, collections: settings?.collections ?? [] });
}

function reportingDigest(settings: DocumentDbSettings | null): string {
  return canonicalDigest(settings?.reporting?.creationFields ?? {});
}

/** Whether the user could change something; null where the server does not say. */
function writePrivileges(status: Document): boolean | null {
  const auth: unknown = status['authInfo'];
  const privileges = isObject(auth) ? auth['authenticatedUserPrivileges'] : undefined;
  if (!Array.isArray(privileges)) return null;
  return privileges.some((privilege: unknown) => {
    const actions = isObject(privilege) ? privilege['actions'] : undefined;
    return Array.isArray(actions) && actions.some((action: unknown) => WRITING.has(action as string));
  });
}
