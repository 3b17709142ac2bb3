import { SCHEMES } from '../endpoint/index.ts';

const bearer = (bearerFormat: string, description: string) =>
  ({ type: 'http', scheme: 'bearer', bearerFormat, description }) as const;

/** The bearer schemes with what each token looks like and who has one. */
export const SECURITY_SCHEMES = [
  {
    name: SCHEMES.owner,
    scheme: bearer(
      '`brt_…` or JWT',
      'An owner: a personal token `brt_…`, the deployment’s bootstrap token, or, where the deployment has an OpenID provider, a JWT of it (an ID token, or an access token for this service). Each operation names the scope that the token needs (`x-scope`) and the least role of its member (`x-role`): a `viewer` may what takes the scope `read`.',
    ),
  },
  {
    name: SCHEMES.service,
    scheme: bearer('opaque', 'An agent runtime: a token from the deployment’s configuration.'),
  },
  {
    name: SCHEMES.execution,
    scheme: bearer(
      'JWT',
      'One run or chat turn: the token that the service signed for it, valid in its organization while the execution is alive.',
    ),
  },
  {
    name: SCHEMES.gateway,
    scheme: bearer(
      'JWT',
      'One run or chat turn at one integration: the token that the execution asked for (`agent.integrations.capability`), valid 15 minutes while the execution is alive and until the organization changes who may use which integration how.',
    ),
  },
];
