import { OneOf, Text } from '../../../kernel/validation/index.ts';
import type { FieldOptions } from '../../../kernel/validation/index.ts';

/** The fields of each kind of credential that a request may bring. */
export const CREDENTIAL_FIELDS = {
  none: [],
  api_key: ['apiKey', 'header'],
  rest_token: ['url', 'token'],
  srv: ['clusterHost', 'username', 'password'],
  role: ['roleArn', 'externalId'],
  app_installation: ['installationId'],
  token: ['token'],
} as const satisfies Readonly<Record<string, readonly (keyof PutCredentialDto)[]>>;

export type RequestedKind = keyof typeof CREDENTIAL_FIELDS;
export type CredentialField = Exclude<keyof PutCredentialDto, 'kind'>;

const KINDS = Object.keys(CREDENTIAL_FIELDS) as readonly RequestedKind[];
const MOST_BYTES = 8 * 1_024;

function Value(kinds: readonly RequestedKind[], options: FieldOptions): PropertyDecorator {
  return Text({ ...options, kinds, max: MOST_BYTES });
}

export class PutCredentialDto {
  @OneOf(KINDS, {
    example: 'api_key',
    description: 'One that the kind of connector takes; own servers `none` and `api_key`',
  })
  kind!: RequestedKind;
  @Value(['api_key'], { example: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc' })
  apiKey?: string;
  @Value(['api_key'], {
    mayLack: true,
    example: 'X-Api-Key',
    description:
      'Of own servers: the header that carries the key as it is; `Authorization: Bearer <key>` unless said. Not one of transport, cookies, proxies and MCP',
  })
  header?: string;
  @Value(['rest_token'], { example: 'https://eu1-still-fox-12345.upstash.io' })
  url?: string;
  @Value(['rest_token', 'token'], { example: 'AX8mACQgOTg2…' })
  token?: string;
  @Value(['srv'], { example: 'shop.ab1cd.mongodb.net' })
  clusterHost?: string;
  @Value(['srv'], { example: 'runner' })
  username?: string;
  @Value(['srv'], { example: 'correct horse battery staple' })
  password?: string;
  @Value(['role'], { example: 'arn:aws:iam::123456789012:role/business-runner' })
  roleArn?: string;
  @Value(['role'], { example: 'b3c1f0' })
  externalId?: string;
  @Value(['app_installation'], { example: '51234567' })
  installationId?: string;
}
