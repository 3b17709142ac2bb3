import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import {
  conflict,
  type GivenSecret,
  IntegrationIssues,
  type ListedTool,
  type ProviderAccess,
  type ProviderAdapter,
  ProviderFailure,
  type ProviderNet,
  type ProviderSecret,
  type SavedSettings,
  type ToolCall,
  type ToolSession,
  type Verified,
  type VerifiedReporting,
  type VerifiedResource,
} from '../../integrations/index.ts';
import { McpServers } from '../mcp/index.ts';
import { conversationsOf, headersOf, keypairOf, websiteName } from './client.ts';
import { SUPPORT_ENDPOINT, SUPPORT_HOST, SUPPORT_INBOX } from './manifest.ts';
import { REPORTS } from './reports.ts';
import { checkedSettings, type SupportSettings } from './settings.ts';

/** Both halves, as what a header is made of. */
const KEYPAIR = /^[\x21-\x39\x3b-\x7e]{1,200}:[\x21-\x7e]{1,200}$/;
/** What says that a website is not there for whoever asks. */
const LOST = new Set(['not_found', 'scope_lost']);

/** The support inbox: the provider's MCP server, with a keypair of the website, and its REST interface for reports. */
export class SupportInbox implements ProviderAdapter<SupportSettings> {
  readonly entry = SUPPORT_INBOX;
  readonly hosts = [SUPPORT_HOST];
  readonly reports = REPORTS;
  private readonly servers = new McpServers();

  /** `identifier:key`, of which each half is a secret. */
  givenSecret({ apiKey = '' }: GivenSecret): GivenSecret {
    if (!KEYPAIR.test(apiKey)) throw invalid('apiKey', EdgeIssues.invalidText, 'must be identifier:key');
    const colon = apiKey.indexOf(':');
    return { identifier: apiKey.slice(0, colon), key: apiKey.slice(colon + 1) };
  }

  /** What listing the tools costs, and one request for the website of the settings. */
  async verify(access: ProviderAccess, settings: SupportSettings | null, net: ProviderNet): Promise<Verified> {
    const verified = await this.servers.verify(asServer(access), null, net);
    if (!settings) return verified;
    const { websiteId } = settings;
    const scope = `resource:${websiteId}`;
    try {
      const resources = [await this.resourceOf(websiteId, access, net)];
      return { ...verified, resources, observations: [...verified.observations, { scope, status: 'verified' }] };
    } catch (error) {
      if (!(error instanceof ProviderFailure && LOST.has(error.failure.code))) throw error;
      const missing = { scope, status: 'failed', code: 'resource_missing' } as const;
      return { ...verified, observations: [...verified.observations, missing] };
    }
  }

  /** One request: the keypair must be of the website. */
  async save(
    next: SupportSettings,
    was: SupportSettings | null,
    access: ProviderAccess,
    net: ProviderNet,
  ): Promise<SavedSettings<SupportSettings>> {
    const settings = checkedSettings(next);
    const resources = [await this.resourceOf(settings.websiteId, access, net)];
    return { settings, resources, material: settings.websiteId !== was?.websiteId, reporting: false };
  }

  /** Two requests: whether it is of the website of the settings, and may read conversations. Nothing of them is kept. */
  async verifyReporting(
    secret: ProviderSecret,
    settings: SupportSettings | null,
    _: ProviderAccess,
    net: ProviderNet,
  ): Promise<VerifiedReporting> {
    if (!settings) throw conflict(IntegrationIssues.noSettings);
    const given = secret as GivenSecret;
    const websiteId = settings.websiteId;
    if (given['websiteId']?.toLowerCase() !== websiteId)
      throw invalid('credential.websiteId', IntegrationIssues.providerRejected, 'must be the website of the settings');
    const keypair = keypairOf(given);
    if (!KEYPAIR.test(`${keypair.identifier}:${keypair.key}`))
      throw invalid('credential.key', EdgeIssues.invalidText, 'must be visible ASCII characters');
    try {
      const label = await websiteName(websiteId, keypair, net);
      await conversationsOf(websiteId, 1, { per_page: '20' }, keypair, net);
      return { account: { subject: websiteId, label }, details: { tier: keypair.tier } };
    } catch (error) {
      throw refusedKeypair(error);
    }
  }

  open(access: ProviderAccess, net: ProviderNet): Promise<ToolSession> {
    return this.servers.open(asServer(access), net);
  }

  scope(tool: ListedTool, args: Readonly<Record<string, unknown>>): ToolCall {
    return this.servers.scope(tool, args);
  }

  private async resourceOf(websiteId: string, { secret }: ProviderAccess, net: ProviderNet): Promise<VerifiedResource> {
    const name = await websiteName(websiteId, keypairOf(secret as GivenSecret), net);
    return { accountId: websiteId, resourceId: websiteId, name, environment: 'live' };
  }
}

/** The provider as a server of tools: where it lies is for nobody to say. */
function asServer({ secret, mcp }: ProviderAccess): ProviderAccess {
  const headers = headersOf(keypairOf(secret as GivenSecret));
  return { endpoint: SUPPORT_ENDPOINT, secret: { kind: 'authorized', authorize: () => headers }, mcp };
}

/** A refusal is of the keypair that was just given, never of the connection's. */
function refusedKeypair(error: unknown): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const { code } = error.failure;
  if (code === 'not_found') return invalid('credential.websiteId', IntegrationIssues.providerRejected);
  const isRefused = code === 'credential_refused' || code === 'scope_lost' || code === 'rejected';
  return isRefused ? invalid('credential.key', IntegrationIssues.providerRejected) : error;
}
