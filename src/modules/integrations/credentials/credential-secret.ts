import type { SecretContext } from '../../../kernel/secrets/index.ts';
import {
  AUTHORIZED_KINDS,
  type CredentialKind,
  type CredentialPurpose,
  OWNER_MADE_KIND,
} from '../integration.state.ts';
import type { GivenSecret, ProviderSecret } from '../provider-adapters.port.ts';

/** Where a credential stands: its primary key. */
export interface CredentialPlace {
  readonly organizationId: string;
  readonly integrationId: string;
  readonly purpose: CredentialPurpose;
  readonly generation: number;
}

/** What a credential's secret belongs to, so that it opens nowhere else, and not as another generation. */
export function secretContext({ organizationId, integrationId, purpose, generation }: CredentialPlace): SecretContext {
  return ['integration_credential', organizationId, integrationId, purpose, generation];
}

export type GivenKind = Exclude<CredentialKind, (typeof AUTHORIZED_KINDS)[number]>;

export function isGiven(kind: CredentialKind): kind is GivenKind {
  return !(AUTHORIZED_KINDS as readonly CredentialKind[]).includes(kind);
}

const AUTHORIZATION = 'authorization';

/** How requests use a secret that a request gave. An owner's own server gets it in a header. */
export function providerSecretOf(connectorKind: string, kind: GivenKind, secret: GivenSecret): ProviderSecret {
  if (kind === 'none') return { kind };
  if (connectorKind !== OWNER_MADE_KIND) return { ...secret, kind };
  const { apiKey = '', header } = secret;
  const headers = header === undefined ? { [AUTHORIZATION]: `Bearer ${apiKey}` } : { [header.toLowerCase()]: apiKey };
  return { kind: 'authorized', authorize: () => headers };
}

/** Fields that are no secrets, though they are sealed along. */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set(['header', 'url', 'clusterHost', 'username', 'roleArn', 'tier']);

/** Values that must not appear in what agents get. */
export function secretValues(secret: GivenSecret): readonly string[] {
  return Object.entries(secret).flatMap(([field, value]) => (PUBLIC_FIELDS.has(field) || value === '' ? [] : [value]));
}
