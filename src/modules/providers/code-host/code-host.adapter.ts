import { isDeepStrictEqual } from 'node:util';
import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import {
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
  type Verified,
  type VerifiedResource,
} from '../../integrations/index.ts';
import { FixedTools } from '../fixed-tools/index.ts';
import { atOnce } from '../wire/index.ts';
import { CodeHostApps, CodeHostClient, type CodeHostConfig, READS, type Repository } from './client.ts';
import { API_HOST, ARGUMENT, CODE_HOST, TOOLS } from './manifest.ts';
import { checkedSettings, type CodeHostSettings, isSameName } from './settings.ts';

const AT_ONCE = 4;
const LIVE = 'live';
const tools = new FixedTools(TOOLS);

type Observations = Verified['observations'];

/** Repositories of the code host; Git itself is spoken elsewhere. */
export class CodeHost implements ProviderAdapter<CodeHostSettings> {
  readonly entry = CODE_HOST;
  readonly hosts = [API_HOST];
  private readonly apps: CodeHostApps;

  constructor(config: CodeHostConfig) {
    this.apps = new CodeHostApps(config);
  }

  givenSecret(secret: GivenSecret): GivenSecret {
    const { installationId, token } = secret;
    if (installationId !== undefined && !/^\d{1,20}$/.test(installationId))
      throw invalid('installationId', EdgeIssues.invalidText, 'must be 1 to 20 digits');
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw invalid('token', EdgeIssues.invalidText, 'must be visible ASCII characters');
    return secret;
  }

  /** Lists one repository, and of a token whose it is; with settings each repository of them is asked for too. */
  async verify({ secret }: ProviderAccess, settings: CodeHostSettings | null, net: ProviderNet): Promise<Verified> {
    const client = await CodeHostClient.of(secret, this.apps, net);
    const { installation } = client;
    const user = installation ? undefined : await client.user();
    await client.repositories(1, 1);
    return {
      account: installation
        ? { subject: `installation:${installation.id}`, label: null }
        : { subject: `user:${user!.id}`, label: user!.login },
      details: installation ? { repositorySelection: installation.selection } : {},
      resources: [],
      observations: [
        { scope: 'credential', status: 'verified' },
        ...(await observed(settings?.repositories ?? [], client)),
      ],
    };
  }

  /** Each repository must be there, and of an installation within it; they are kept as the host spells them. */
  async save(
    next: CodeHostSettings,
    was: CodeHostSettings | null,
    { secret }: ProviderAccess,
    net: ProviderNet,
  ): Promise<SavedSettings<CodeHostSettings>> {
    const { repositories: names } = checkedSettings(next);
    if (!names) return { settings: {}, resources: [], material: !isDeepStrictEqual({}, was), reporting: false };
    const client = await CodeHostClient.of(secret, this.apps, net);
    const found = await atOnce(names, AT_ONCE, (name, index) => namedRepository(name, index, client));
    await this.requireWithin(secret, found, net);
    const settings = { repositories: found.map(({ fullName }) => fullName) };
    return {
      settings,
      resources: found.map(resourceOf),
      material: !isDeepStrictEqual(settings, was),
      reporting: false,
    };
  }

  tools(settings: CodeHostSettings | null): readonly ListedTool[] {
    const { repositories } = settings ?? {};
    if (!repositories) return tools.listed();
    return tools.listed((_, argument, schema) =>
      argument === ARGUMENT ? { type: 'string', enum: repositories, description: schema['description'] } : schema,
    );
  }

  /** Whether a repository may be fetched or pushed; who calls it through the gateway is refused before. */
  scope(tool: ListedTool, given: Readonly<Record<string, unknown>>, settings: CodeHostSettings | null): ToolCall {
    const args = tools.checked<{ readonly repository: string }>(tool.name, given);
    const { repositories } = settings ?? {};
    if (repositories && !repositories.some((name) => isSameName(name, args.repository)))
      throw invalid(`arguments.${ARGUMENT}`, EdgeIssues.unknownReference, 'must be a repository of this connector');
    return { tool, arguments: { ...args } };
  }

  /** Public repositories of others can be read with any token: only one for exactly these proves that they are its own. */
  private async requireWithin(secret: ProviderSecret, found: readonly Repository[], net: ProviderNet): Promise<void> {
    if (secret.kind !== 'app_installation') return;
    const scope = { permissions: READS, repositories: found.map(({ name }) => name) };
    const { repositories } = await this.apps.mint(secret['installationId']!, scope, net).catch((error: unknown) => {
      const isRefused = error instanceof ProviderFailure && error.failure.code === 'rejected';
      throw isRefused ? invalid('settings.repositories', IntegrationIssues.providerRejected) : error;
    });
    const foreign = found.findIndex(({ fullName }) => !repositories.some((name) => isSameName(name, fullName)));
    if (foreign >= 0) throw invalid(`settings.repositories.${foreign}`, IntegrationIssues.providerRejected);
  }
}

async function namedRepository(name: string, index: number, client: CodeHostClient): Promise<Repository> {
  const path = `settings.repositories.${index}`;
  let found: Repository;
  try {
    found = await client.repository(name);
  } catch (error) {
    if (isGone(error)) throw invalid(path, IntegrationIssues.providerRejected);
    throw error;
  }
  if (!isSameName(found.fullName, name)) throw invalid(path, IntegrationIssues.providerRejected);
  return found;
}

/** Hidden, removed, moved or blocked: of this repository, not of the credential. */
function isGone(error: unknown): boolean {
  return error instanceof ProviderFailure && (error.failure.code === 'not_found' || error.failure.code === 'rejected');
}

function resourceOf({ owner, fullName }: Repository): VerifiedResource {
  return { accountId: owner, resourceId: fullName, name: fullName, environment: LIVE };
}

function observed(names: readonly string[], client: CodeHostClient): Promise<Observations> {
  return atOnce(names, AT_ONCE, async (name): Promise<Observations[number]> => {
    const scope = `resource:${name}`;
    try {
      await client.repository(name);
      return { scope, status: 'verified' };
    } catch (error) {
      if (isGone(error)) return { scope, status: 'failed', code: 'resource_missing' };
      throw error;
    }
  });
}
