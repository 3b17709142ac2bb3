import type { CatalogEntry } from '../../integrations/index.ts';
import type { FixedTool, Schema } from '../fixed-tools/index.ts';

/** Repositories that runs fetch from and push to, through the service. */
export const CODE_HOST: CatalogEntry = {
  key: 'code-host',
  version: 1,
  status: 'active',
  name: 'Code host',
  description: 'Repositories of a GitHub account.',
  connectionType: 'code_host',
  purposes: ['source_control'],
  credentialKinds: ['app_installation', 'token'],
  authorization: 'none',
  fixedReadOnly: false,
  enabledByCredential: true,
  settings: 'optional',
  settingsVerified: true,
  hasReportingCredential: false,
  tools: 'fixed',
  defaultDepartments: [],
  inCatalog: true,
};

export const API_HOST = 'api.github.com';
/** The interface of the host, or of who plays it in a trial. */
export function apiUrlOf(localOrigin: string | undefined): string {
  return localOrigin === undefined ? `https://${API_HOST}` : `${localOrigin}/api/v3`;
}
/** Of the interface; later ones may answer otherwise. */
export const API_VERSION = '2022-11-28';
/** Where repositories are seen by people. */
export const WEB_ORIGIN = 'https://github.com';

export const MOST_REPOSITORIES = 200;

/** A full name: its owner and its own, which is more than dots. */
const REPOSITORY: Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[.]{0,2}[A-Za-z0-9_-][A-Za-z0-9._-]{0,97}$',
};

export const SETTINGS_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    repositories: { type: 'array', minItems: 1, maxItems: MOST_REPOSITORIES, items: REPOSITORY },
  },
};

/** The argument into which the scope is written. */
export const ARGUMENT = 'repository';
const properties = { [ARGUMENT]: { ...REPOSITORY, description: 'owner/name' } };

/** For selection, readiness and grants: the bytes go through the Git proxy. */
export const TOOLS: readonly FixedTool[] = [
  {
    name: 'git_fetch',
    title: 'Fetch a repository',
    description: 'Clones and fetches repositories with git.',
    access: 'read',
    properties,
    required: [ARGUMENT],
  },
  {
    name: 'git_push',
    title: 'Push to a repository',
    description: 'Pushes commits to a branch of a repository with git.',
    access: 'write',
    properties,
    required: [ARGUMENT],
  },
];
