import type {
  CatalogEntry,
  ListedTool,
  ProviderAccess,
  ProviderAdapter,
  ProviderSecret,
  ToolCall,
  Verified,
} from '../../../../src/modules/integrations/index.ts';
import { ProviderAdapters, ProviderFailure } from '../../../../src/modules/integrations/index.ts';
import { canonicalDigest } from '../../../../src/kernel/crypto/index.ts';
import type { TestApp } from '../../test-app.ts';
import { integrationRow } from './rows.ts';
import { sealCredential } from './connectors.ts';

interface ProbeSettings {
  readonly propertyIds: readonly string[];
  readonly defaultPropertyId: string;
  readonly reporting?: object;
}

const ENTRY: CatalogEntry = {
  key: 'probe-analytics',
  version: 1,
  status: 'active',
  name: 'Probe',
  description: '',
  connectionType: 'direct',
  purposes: ['web_analytics'],
  credentialKinds: ['token'],
  authorization: 'none',
  fixedReadOnly: true,
  enabledByCredential: false,
  settings: 'required',
  settingsVerified: true,
  hasReportingCredential: true,
  tools: 'fixed',
  defaultDepartments: [],
  inCatalog: false,
};

const TOOLS: readonly ListedTool[] = ['run_report', 'list_properties'].map((name) => ({
  name,
  title: null,
  description: null,
  inputSchema: { type: 'object' },
  access: 'read',
  risk: 'external',
  reviewRequired: false,
  definitionHash: canonicalDigest(name),
}));

/** A provider of a kind that only tests know, with settings and reports, which answers as it is told. */
export class ProbeProvider implements ProviderAdapter<ProbeSettings> {
  readonly entry: CatalogEntry;
  account = 'one';
  /** Properties that are there; all, unless said. */
  known: readonly string[] | undefined;
  failure: ProviderFailure['failure']['code'] | undefined;
  asked = 0;
  /** What it was asked with. */
  readonly secrets: ProviderSecret[] = [];
  /** Runs while the provider is asked. */
  meanwhile: (() => Promise<unknown>) | undefined;

  constructor(entry: Partial<CatalogEntry> = {}) {
    this.entry = { ...ENTRY, ...entry };
  }

  async verify({ secret }: ProviderAccess): Promise<Verified> {
    this.secrets.push(secret);
    await this.answer();
    return { account: { subject: this.account, label: null }, details: {}, resources: [], observations: [] };
  }

  async save(next: ProbeSettings, was: ProbeSettings | null) {
    await this.answer();
    const { propertyIds, defaultPropertyId, reporting } = next;
    if (propertyIds.some((id) => this.known?.includes(id) === false)) throw failureOf('not_found');
    const isMaterial =
      canonicalDigest([propertyIds, defaultPropertyId]) !==
      canonicalDigest([was?.propertyIds ?? [], was?.defaultPropertyId ?? '']);
    return {
      settings: next,
      resources: propertyIds.map((resourceId) => ({ accountId: '1', resourceId, name: 'Site', environment: 'live' })),
      material: isMaterial,
      reporting: canonicalDigest(reporting ?? {}) !== canonicalDigest(was?.reporting ?? {}),
    };
  }

  async verifyReporting(secret: ProviderSecret) {
    await this.answer();
    return { account: { subject: 'website', label: null }, details: { kind: secret.kind } };
  }

  tools(): readonly ListedTool[] {
    return TOOLS;
  }

  scope(tool: ListedTool, args: Readonly<Record<string, unknown>>): ToolCall {
    return { tool, arguments: args };
  }

  private async answer(): Promise<void> {
    this.asked += 1;
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    if (this.failure) throw failureOf(this.failure);
  }
}

function failureOf(code: ProviderFailure['failure']['code']): ProviderFailure {
  return new ProviderFailure({ code, status: null, retryAfterSeconds: null, sent: true });
}

/** Adds the kind to an application that lacks it. */
export function serveProvider(app: TestApp, provider = new ProbeProvider()): ProbeProvider {
  const adapters = app.app.get(ProviderAdapters);
  if (!adapters.of(provider.entry.key)) adapters.register(provider);
  return provider;
}

/** A connector of that kind, connected or not; its id. */
export async function probeConnector(app: TestApp, organizationId: string, kind = ENTRY.key): Promise<string> {
  const id = await integrationRow(app, organizationId, {
    row: {
      kind,
      origin: 'catalog',
      entry_version: 1,
      endpoint: null,
      enabled: false,
      selection: null,
      tools_revision: 0,
    },
    credential: { kind: 'token', identity: 'one' },
  });
  await sealCredential(app, organizationId, id, { token: 'CANARY-probe-2Wq8Xs5Ed3' });
  return id;
}
