import type { CatalogEntry } from '../../integrations/index.ts';

export const SUPPORT_HOST = 'api.crisp.chat';
/** Where the provider serves its tools. */
export const SUPPORT_ENDPOINT = `https://${SUPPORT_HOST}/mcp/`;

/** The support inbox, which owners connect with a keypair of their website. */
export const SUPPORT_INBOX: CatalogEntry = {
  key: 'support-inbox',
  version: 1,
  status: 'active',
  name: 'Support inbox',
  description: 'Conversations with customers at Crisp, by the tools of its own server.',
  connectionType: 'mcp',
  purposes: ['support_inbox'],
  credentialKinds: ['api_key'],
  authorization: 'none',
  fixedReadOnly: false,
  enabledByCredential: true,
  settings: 'optional',
  settingsVerified: true,
  hasReportingCredential: true,
  tools: 'discovered',
  defaultDepartments: ['support'],
  inCatalog: true,
};
