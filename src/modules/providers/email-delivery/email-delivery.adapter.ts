import { isDeepStrictEqual } from 'node:util';
import { sha256 } from '../../../kernel/crypto/index.ts';
import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import {
  type GivenSecret,
  IntegrationIssues,
  type ListedTool,
  type ProviderAccess,
  type ProviderAdapter,
  type ProviderNet,
  type SavedSettings,
  type SentCall,
  type ToolCall,
  type ToolOutput,
  type Verified,
  type VerifiedResource,
} from '../../integrations/index.ts';
import type { FixedTool, Schema } from '../fixed-tools/index.ts';
import { failed, outputOf } from '../wire/index.ts';
import { addressOf, domainOf, isSameAddress } from './addresses.ts';
import { type Domain, domainsOf, sendMail } from './client.ts';
import { EMAIL_DELIVERY, EMAIL_HOST, LIST_DOMAINS, TOOLS } from './manifest.ts';
import { checkedSettings, type EmailSettings } from './settings.ts';

/** With which mail can be sent from a domain. */
const VERIFIED = 'verified';
/** What a header can carry. */
const KEY = /^[\x21-\x7e]+$/;
const LINE_BREAKS = /[\p{Cc}\u2028\u2029]/u;

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc?: readonly string[];
  readonly reply_to?: readonly string[];
  readonly subject: string;
}

/** Mail that is sent from domains of the organization. */
export class EmailDelivery implements ProviderAdapter<EmailSettings> {
  readonly entry = EMAIL_DELIVERY;
  readonly hosts = [EMAIL_HOST];

  givenSecret(secret: GivenSecret): GivenSecret {
    if (!KEY.test(secret['apiKey'] ?? ''))
      throw invalid('apiKey', EdgeIssues.invalidText, 'must be visible ASCII characters');
    return secret;
  }

  /** One request. A key that may only send says no more than that. */
  async verify(access: ProviderAccess, settings: EmailSettings | null, net: ProviderNet): Promise<Verified> {
    const domains = await domainsOf(access, net);
    const known = new Map(domains?.map(({ name, status }) => [name, status]));
    return {
      account: { subject: subjectOf(access, domains), label: null },
      details: { provider: 'resend', domains: domains?.map(({ name, status }) => ({ name, status })) ?? null },
      resources: settings ? resourcesOf(settings, access, domains) : [],
      observations: [
        { scope: 'credential', status: 'verified' },
        ...(domains ? [] : [{ scope: 'resource:domains', status: 'unknown' } as const]),
        ...(domains ? (settings?.domains ?? []) : []).map((name) =>
          known.get(name) === VERIFIED
            ? ({ scope: `resource:${name}`, status: 'verified' } as const)
            : ({ scope: `resource:${name}`, status: 'failed', code: 'resource_missing' } as const),
        ),
      ],
    };
  }

  /** One request. With a key that may only send the domains are taken as they are given. */
  async save(
    next: EmailSettings,
    was: EmailSettings | null,
    access: ProviderAccess,
    net: ProviderNet,
  ): Promise<SavedSettings<EmailSettings>> {
    const settings = checkedSettings(next);
    const domains = await domainsOf(access, net);
    const verified = domains && new Set(domains.flatMap(({ name, status }) => (status === VERIFIED ? [name] : [])));
    const missing = settings.domains.findIndex((name) => verified?.has(name) === false);
    if (missing !== -1)
      throw invalid(
        `settings.domains.${missing}`,
        IntegrationIssues.providerRejected,
        'is not verified at the provider now',
      );
    return {
      settings,
      resources: resourcesOf(settings, access, domains),
      material: !isDeepStrictEqual(settings, was),
      reporting: false,
    };
  }

  tools(settings: EmailSettings | null): readonly ListedTool[] {
    return settings ? TOOLS.listed((...given) => withSenders(settings, ...given)) : TOOLS.listed();
  }

  scope(tool: ListedTool, args: Readonly<Record<string, unknown>>, settings: EmailSettings | null): ToolCall {
    if (!settings) throw invalid('arguments', EdgeIssues.notPermitted, 'need a connector with settings');
    const checked = TOOLS.checked(tool.name, args);
    // Of the domains of the account only those of the settings are shown.
    if (tool.name === LIST_DOMAINS) return { tool, arguments: { domains: settings.domains } };
    requireMail(checked as unknown as Mail, settings);
    return { tool, arguments: checked };
  }

  async call({ arguments: args }: ToolCall, access: ProviderAccess, net: ProviderNet): Promise<ToolOutput> {
    const domains = await domainsOf(access, net);
    if (!domains) throw failed('scope_lost', { status: 401 });
    const statuses = new Map(domains.map(({ name, status }) => [name, status]));
    const shown = (args['domains'] as readonly string[]).map((name) => ({
      name,
      status: statuses.get(name) ?? 'missing',
    }));
    return outputOf({ domains: shown });
  }

  send(
    { arguments: mail }: ToolCall,
    _: unknown,
    access: ProviderAccess,
    net: ProviderNet,
    actionId: string,
  ): Promise<SentCall> {
    return sendMail(mail, actionId, access, net);
  }
}

function requireMail(mail: Mail, { domains, from }: EmailSettings): void {
  const sender = addressOf(mail.from);
  const domain = domainOf(sender);
  if (domain === undefined)
    throw invalid('arguments.from', EdgeIssues.invalidText, 'must be an address, or a name and <address>');
  if (!domains.includes(domain) || (from && !from.some((each) => isSameAddress(each, sender))))
    throw invalid('arguments.from', EdgeIssues.notPermitted, 'must be a sender of the settings');
  for (const field of ['to', 'cc', 'reply_to'] as const)
    for (const [index, address] of (mail[field] ?? []).entries())
      if (domainOf(address) === undefined)
        throw invalid(
          `arguments.${field}.${index}`,
          EdgeIssues.invalidText,
          'must be an address such as ada@example.com',
        );
  if (LINE_BREAKS.test(mail.subject)) throw invalid('arguments.subject', EdgeIssues.invalidText, 'must be one line');
}

/** An account is known by its domains, and a key that cannot tell them by itself. */
function subjectOf({ secret }: ProviderAccess, domains: readonly Domain[] | undefined): string {
  const key = 'apiKey' in secret ? secret.apiKey : '';
  const text = domains ? JSON.stringify(domains.map(({ id }) => id).toSorted()) : key;
  return sha256(text).toString('hex');
}

function resourcesOf(
  settings: EmailSettings,
  access: ProviderAccess,
  domains: readonly Domain[] | undefined,
): readonly VerifiedResource[] {
  const accountId = subjectOf(access, domains);
  return settings.domains.map((name) => ({ accountId, resourceId: name, name, environment: 'live' }));
}

function withSenders({ domains, from }: EmailSettings, _: FixedTool, argument: string, schema: Schema): Schema {
  if (argument !== 'from') return schema;
  const senders = from ?? domains.map((domain) => `…@${domain}`);
  return { ...schema, description: `${schema['description'] as string}; of ${senders.join(', ')}` };
}
