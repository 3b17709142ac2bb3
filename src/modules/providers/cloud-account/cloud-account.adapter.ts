import { randomUUID } from 'node:crypto';
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
  type ToolOutput,
  type Verified,
  type VerifiedResource,
} from '../../integrations/index.ts';
import { SettingsSchema } from '../tool-arguments/index.ts';
import { outputOf } from '../wire/index.ts';
import { CLOUD_ACCOUNT, FIRST_REGION, hostOf, REGIONS, TOOLS } from './manifest.ts';
import { type CallerIdentity, type KeyPair, RoleSession } from './role-session.ts';

interface CloudSettings {
  readonly accountId: string;
  readonly region: string;
  readonly kubernetesEnabled: boolean;
  /** Whether the collector reads figures of the account. */
  readonly metrics: boolean;
}

const SETTINGS = new SettingsSchema<CloudSettings>('cloud-account', {
  type: 'object',
  properties: {
    accountId: { type: 'string', pattern: '^[0-9]{12}$' },
    region: { type: 'string', enum: REGIONS },
    kubernetesEnabled: { type: 'boolean', default: false },
    metrics: { type: 'boolean', default: false },
  },
  required: ['accountId', 'region'],
  additionalProperties: false,
});

const ROLE = /^arn:aws:iam::(\d{12}):role\/[\w+=,.@/-]{1,512}$/;
const EXTERNAL_ID = /^[\w+=,.@:/-]{2,1224}$/;

/** An account of the cloud, as which a role in it is assumed for each call. */
export class CloudAccount implements ProviderAdapter<CloudSettings> {
  readonly entry = CLOUD_ACCOUNT;
  readonly hosts = REGIONS.map(hostOf);
  /** The account of the deployment itself, once it is known. */
  private ownAccount: string | undefined;

  /** With the deployment's own identity, with which roles are assumed; undefined without one. */
  constructor(private readonly identity: KeyPair | undefined) {}

  givenSecret(secret: GivenSecret): GivenSecret {
    const { roleArn = '', externalId = '' } = secret;
    if (!ROLE.test(roleArn)) throw invalid('roleArn', EdgeIssues.invalidText, 'must be the ARN of a role of AWS');
    if (!EXTERNAL_ID.test(externalId))
      throw invalid(
        'externalId',
        EdgeIssues.invalidText,
        'must be an external id: 2 to 1,224 letters, digits and +=,.@:/-',
      );
    return secret;
  }

  /**
   * Whether the role trusts this organization, and nobody without its external id: one that trusts the deployment alone could
   * be connected by any other organization too.
   */
  async verify(access: ProviderAccess, settings: CloudSettings | null, net: ProviderNet): Promise<Verified> {
    const { identity, roleArn, externalId } = this.usable(access);
    const session = new RoleSession(settings?.region ?? FIRST_REGION, net);
    await this.requireForeign(session, identity, roleArn);
    await requireFenced(session, identity, roleArn);
    const caller = await session.caller(await session.assume(identity, { roleArn, externalId }));
    const { accountId } = settings ?? {};
    return {
      account: { subject: caller.account, label: caller.account },
      details: { roleArn },
      resources: settings && accountId === caller.account ? [resourceOf(settings)] : [],
      observations: [
        { scope: 'credential', status: 'verified' },
        ...(accountId === undefined
          ? []
          : accountId === caller.account
            ? ([{ scope: `resource:${accountId}`, status: 'verified' }] as const)
            : ([{ scope: `resource:${accountId}`, status: 'failed', code: 'resource_missing' }] as const)),
      ],
    };
  }

  async save(
    next: CloudSettings,
    was: CloudSettings | null,
    access: ProviderAccess,
    net: ProviderNet,
  ): Promise<SavedSettings<CloudSettings>> {
    const settings = SETTINGS.checked(next);
    const { accountId, region, kubernetesEnabled, metrics } = settings;
    const { roleArn } = this.usable(access);
    if (accountOf(roleArn) !== accountId)
      throw invalid('settings.accountId', IntegrationIssues.providerRejected, 'is not the account of the role');
    const { account } = await this.callerIn(region, access, net);
    if (account !== accountId) throw invalid('settings.accountId', IntegrationIssues.providerRejected);
    return {
      settings,
      resources: [resourceOf(settings)],
      material: was?.accountId !== accountId || was.region !== region || was.kubernetesEnabled !== kubernetesEnabled,
      reporting: (was?.metrics ?? false) !== metrics,
    };
  }

  tools(): readonly ListedTool[] {
    return TOOLS.listed();
  }

  scope(tool: ListedTool, args: Readonly<Record<string, unknown>>, settings: CloudSettings | null): ToolCall {
    TOOLS.checked(tool.name, args);
    // Which account and region the call is about is the settings' to say.
    return { tool, arguments: { accountId: settings?.accountId, region: settings?.region } };
  }

  async call(
    { arguments: { accountId, region } }: ToolCall,
    access: ProviderAccess,
    net: ProviderNet,
  ): Promise<ToolOutput> {
    const { account, arn, userId } = await this.callerIn(String(region), access, net);
    if (account !== accountId)
      throw new ProviderFailure({ code: 'not_found', status: null, retryAfterSeconds: null, sent: true });
    return outputOf({ accountId: account, arn, userId, region });
  }

  private async callerIn(region: string, access: ProviderAccess, net: ProviderNet): Promise<CallerIdentity> {
    const { identity, roleArn, externalId } = this.usable(access);
    const session = new RoleSession(region, net);
    return session.caller(await session.assume(identity, { roleArn, externalId }));
  }

  /** The role, and the identity that assumes it; 409 without one, 400 where the external id is not this organization's. */
  private usable({ secret, organizationId }: ProviderAccess) {
    const { identity } = this;
    if (!identity) throw conflict(IntegrationIssues.notConfigured);
    const { roleArn, externalId } = roleIn(secret);
    if (organizationId === undefined || !externalId.startsWith(organizationId))
      throw invalid('externalId', IntegrationIssues.providerRejected, 'must begin with the id of the organization');
    return { identity, roleArn, externalId };
  }

  /** Roles of the deployment's own account may trust all of it, and none is a tenant's. */
  private async requireForeign(session: RoleSession, identity: KeyPair, roleArn: string): Promise<void> {
    this.ownAccount ??= (await session.caller(identity)).account;
    if (accountOf(roleArn) === this.ownAccount)
      throw invalid('roleArn', IntegrationIssues.providerRejected, 'lies in the account of the service itself');
  }
}

/** A role that another external id opens, any one of them, trusts whoever the deployment works for. */
async function requireFenced(session: RoleSession, identity: KeyPair, roleArn: string): Promise<void> {
  try {
    await session.assume(identity, { roleArn, externalId: randomUUID() });
  } catch (error) {
    if (error instanceof ProviderFailure && error.failure.code === 'credential_refused') return;
    throw error;
  }
  throw invalid(
    'externalId',
    IntegrationIssues.providerRejected,
    'is not demanded by the role: name it as a condition of its trust policy',
  );
}

function roleIn(secret: ProviderSecret): { readonly roleArn: string; readonly externalId: string } {
  return secret.kind === 'role'
    ? { roleArn: secret['roleArn'] ?? '', externalId: secret['externalId'] ?? '' }
    : { roleArn: '', externalId: '' };
}

function accountOf(roleArn: string): string | undefined {
  return ROLE.exec(roleArn)?.[1];
}

function resourceOf({ accountId }: CloudSettings): VerifiedResource {
  return { accountId, resourceId: accountId, name: accountId, environment: 'live' };
}
