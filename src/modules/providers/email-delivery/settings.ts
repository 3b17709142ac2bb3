import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { SettingsSchema } from '../tool-arguments/index.ts';
import { domainOf } from './addresses.ts';

/** From where mail may be sent. */
export interface EmailSettings {
  readonly domains: readonly string[];
  /** Only these addresses of the domains, where it is there. */
  readonly from?: readonly string[];
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

const schema = new SettingsSchema<EmailSettings>('email-delivery', {
  type: 'object',
  required: ['domains'],
  additionalProperties: false,
  properties: {
    domains: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      items: { type: 'string', maxLength: 190, pattern: `^(?:${LABEL}\\.)+${LABEL}$` },
    },
    from: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      items: { type: 'string', minLength: 3, maxLength: 320 },
    },
  },
});

/** The settings in their one form; 400 at what cannot be meant. */
export function checkedSettings(given: unknown): EmailSettings {
  const { domains, from } = schema.checked(given);
  for (const [index, address] of (from ?? []).entries()) {
    const domain = domainOf(address);
    const path = `settings.from.${index}`;
    if (domain === undefined)
      throw invalid(path, EdgeIssues.invalidText, 'must be an address such as news@example.com');
    if (!domains.includes(domain)) throw invalid(path, EdgeIssues.unknownReference, 'must be of one of the domains');
  }
  return { domains, ...(from ? { from } : {}) };
}
