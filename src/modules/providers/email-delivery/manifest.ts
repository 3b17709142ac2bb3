import type { CatalogEntry } from '../../integrations/index.ts';
import { FixedTools, type Schema } from '../fixed-tools/index.ts';

export const EMAIL_HOST = 'api.resend.com';

/** Mail, which owners connect with a key. */
export const EMAIL_DELIVERY: CatalogEntry = {
  key: 'email-delivery',
  version: 1,
  status: 'active',
  name: 'Email delivery',
  description: 'Sends mail from your verified domains through Resend, each after a person has approved it.',
  connectionType: 'api_key',
  purposes: ['email_delivery'],
  credentialKinds: ['api_key'],
  authorization: 'none',
  fixedReadOnly: false,
  enabledByCredential: true,
  settings: 'required',
  settingsVerified: true,
  hasReportingCredential: false,
  tools: 'fixed',
  defaultDepartments: ['growth', 'support'],
  inCatalog: true,
};

const ADDRESS: Schema = { type: 'string', minLength: 3, maxLength: 320, description: 'Such as `ada@example.com`' };
const addresses = (maxItems: number): Schema => ({ type: 'array', minItems: 1, maxItems, items: ADDRESS });
const WORD: Schema = { type: 'string', minLength: 1, maxLength: 256, pattern: '^[A-Za-z0-9_-]+$' };

export const LIST_DOMAINS = 'list_domains';

export const TOOLS = new FixedTools([
  {
    name: LIST_DOMAINS,
    title: 'List the domains to send from',
    description: 'The domains that mail may be sent from, and whether each is verified now.',
    access: 'read',
    properties: {},
  },
  {
    name: 'send_email',
    title: 'Send a mail',
    description: 'Sends one mail, once a person has approved it as it is.',
    access: 'write',
    reviewRequired: true,
    // In the order in which a person reads them.
    properties: {
      from: {
        type: 'string',
        minLength: 3,
        maxLength: 430,
        description: 'An address, or a name with it: `Acme <news@example.com>`',
      },
      to: addresses(20),
      cc: addresses(10),
      reply_to: addresses(5),
      subject: { type: 'string', minLength: 1, maxLength: 255, description: 'In one line' },
      tags: {
        type: 'array',
        maxItems: 10,
        items: {
          type: 'object',
          required: ['name', 'value'],
          additionalProperties: false,
          properties: { name: WORD, value: WORD },
        },
      },
      text: { type: 'string', minLength: 1, maxLength: 100_000 },
      html: { type: 'string', minLength: 1, maxLength: 200_000 },
    },
    required: ['from', 'to', 'subject', 'text'],
  },
]);
