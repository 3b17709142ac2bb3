import type { CatalogEntry } from '../../integrations/index.ts';
import { FixedTools } from '../fixed-tools/index.ts';

export const CLOUD_ACCOUNT: CatalogEntry = {
  key: 'cloud-account',
  version: 1,
  status: 'active',
  name: 'Cloud account',
  description: 'An AWS account, reached through a role that trusts this service.',
  connectionType: 'cloud_account',
  purposes: ['cloud_infrastructure'],
  credentialKinds: ['role'],
  authorization: 'none',
  fixedReadOnly: true,
  enabledByCredential: true,
  settings: 'required',
  settingsVerified: true,
  hasReportingCredential: false,
  tools: 'fixed',
  defaultDepartments: [],
  inCatalog: true,
};

/** Regions that settings may name. */
export const REGIONS: readonly string[] = [
  'af-south-1',
  'ap-east-1',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-south-2',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ca-central-1',
  'ca-west-1',
  'eu-central-1',
  'eu-central-2',
  'eu-north-1',
  'eu-south-1',
  'eu-south-2',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'sa-east-1',
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
];

/** Where a role is assumed before settings name a region; every account has it. */
export const FIRST_REGION = 'us-east-1';

export function hostOf(region: string): string {
  return `sts.${region}.amazonaws.com`;
}

export const TOOLS = new FixedTools([
  {
    name: 'get_account_identity',
    title: 'Get the identity in the account',
    description: 'The account that the connector reaches, and as which role.',
    access: 'read',
    properties: {},
  },
]);
