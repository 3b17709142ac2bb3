import type { AuthorizedScopes, CatalogEntry } from '../../integrations/index.ts';

const SCOPE = 'https://www.googleapis.com/auth/';

/** What each service takes for reading, and for writing beside it. */
const SCOPES: AuthorizedScopes = {
  required: [],
  services: {
    mail: { read: [`${SCOPE}gmail.readonly`], write: [`${SCOPE}gmail.send`] },
    calendar: { read: [`${SCOPE}calendar.readonly`], write: [`${SCOPE}calendar.events`] },
    drive: { read: [`${SCOPE}drive.readonly`], write: [] },
    sheets: { read: [`${SCOPE}spreadsheets.readonly`], write: [] },
    docs: { read: [`${SCOPE}documents.readonly`], write: [] },
    contacts: { read: [`${SCOPE}contacts.readonly`], write: [] },
  },
};

/** The workspace, which its people connect by authorizing services of it. */
export const WORKSPACE: CatalogEntry = {
  key: 'workspace',
  version: 2,
  status: 'active',
  name: 'Workspace',
  description: 'Mail, calendar, files, sheets, documents and contacts of a Google Workspace account.',
  connectionType: 'oauth_suite',
  purposes: ['email', 'calendar', 'documents'],
  credentialKinds: [],
  authorization: 'workspace',
  authorizedScopes: SCOPES,
  fixedReadOnly: false,
  enabledByCredential: true,
  settings: 'required',
  settingsVerified: false,
  hasReportingCredential: false,
  tools: 'fixed',
  defaultDepartments: [],
  inCatalog: true,
};

/** Where each service answers. */
export const MAIL_HOST = 'gmail.googleapis.com';
export const FILES_HOST = 'www.googleapis.com';
export const SHEETS_HOST = 'sheets.googleapis.com';
export const DOCS_HOST = 'docs.googleapis.com';
export const CONTACTS_HOST = 'people.googleapis.com';
export const SERVICE_HOSTS = [MAIL_HOST, FILES_HOST, SHEETS_HOST, DOCS_HOST, CONTACTS_HOST];

/** Where the account behind a token is said. */
export const USER_INFO = 'https://openidconnect.googleapis.com/v1/userinfo';
