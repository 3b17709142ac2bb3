import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { SealedSecret } from '../../../kernel/secrets/index.ts';
import type { StoredCredential } from '../credential-source.port.ts';
import type { CredentialKind, CredentialPurpose } from '../integration.state.ts';
import { isChosen, type Which } from '../readiness/connectors.queries.ts';

/** Of a credential `c`, for the statements that read one with what stands around it. */
export const CREDENTIAL_COLUMNS = {
  organizationId: 'c.organization_id',
  integrationId: 'c.integration_id',
  purpose: 'c.purpose',
  generation: 'c.generation',
  kind: 'c.kind',
  state: 'c.state',
  identity: 'c.identity',
  scopes: 'c.scopes',
  issuer: 'c.issuer',
  resource: 'c.resource',
  tokenVersion: 'c.token_version',
  accessExpiresAt: 'c.access_expires_at',
  accessSecondsLeft: 'extract(epoch from c.access_expires_at - clock_timestamp())::float8',
  keyId: 'c.key_id',
  wrappedKey: 'c.wrapped_key',
  sealed: 'c.sealed',
} as const;

const select = columns<StoredCredential>(CREDENTIAL_COLUMNS);

export function credentialOf(
  organizationId: string,
  integrationId: string,
  purpose: CredentialPurpose = 'primary',
): Statement<StoredCredential> {
  return sql`
    select ${select} from integration_credential c
    where c.organization_id = ${organizationId} and c.integration_id = ${integrationId} and c.purpose = ${purpose}`;
}

/** A credential that was just verified. */
export interface NewCredentialRow extends SealedSecret {
  readonly purpose: CredentialPurpose;
  readonly generation: number;
  readonly kind: CredentialKind;
  readonly identity: string | null;
  readonly label: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly scopes: readonly string[];
  readonly issuer: string | null;
  readonly resource: string | null;
  /** How long the access token is good for; null for what does not expire. */
  readonly expiresInSeconds: number | null;
  readonly now: string;
}

/** Stores a credential; the one before it has been removed. */
export function insertCredential(
  organizationId: string,
  integrationId: string,
  credential: NewCredentialRow,
): Statement {
  const { purpose, generation, kind, identity, label, details, scopes, issuer, resource, now } = credential;
  const { expiresInSeconds, keyId, wrappedKey, sealed } = credential;
  const expiresAt =
    expiresInSeconds === null ? null : new Date(Date.parse(now) + expiresInSeconds * 1_000).toISOString();
  return sql`
    insert into integration_credential (organization_id, integration_id, purpose, generation, kind, state, identity, label,
      details, scopes, issuer, resource, token_version, access_expires_at, refreshed_at, refresh_failures, connected_at,
      key_id, wrapped_key, sealed)
    values (${organizationId}, ${integrationId}, ${purpose}, ${generation}, ${kind}, 'connected', ${identity}, ${label},
      ${JSON.stringify(details)}::jsonb, ${scopes}::text[], ${issuer}, ${resource}, 1, ${expiresAt},
      ${kind === 'oauth2' ? now : null}, 0, ${now}, ${keyId}, ${wrappedKey}, ${sealed})`;
}

/** Forgets the credentials of a connector for these purposes; answers a row for each. */
export function removeCredentials(
  organizationId: string,
  integrationId: string,
  purposes: readonly CredentialPurpose[],
): Statement<{ purpose: CredentialPurpose }> {
  return sql`
    delete from integration_credential c
    where c.organization_id = ${organizationId} and c.integration_id = ${integrationId}
      and c.purpose = any(${purposes}::text[])
    returning c.purpose`;
}

/** Says that a credential does not open, so that nobody is asked with it; answers a row where that is new. */
export function markUnreadable({
  organizationId,
  integrationId,
  purpose,
  generation,
}: Pick<StoredCredential, 'organizationId' | 'integrationId' | 'purpose' | 'generation'>): Statement<{
  purpose: string;
}> {
  return sql`
    update integration_credential c set state = 'unreadable'
    where c.organization_id = ${organizationId} and c.integration_id = ${integrationId} and c.purpose = ${purpose}
      and c.generation = ${generation} and c.state <> 'unreadable'
    returning c.purpose`;
}

/** The credential of the connectors that are chosen, for whoever knows only a key. */
export function credentialFor(
  organizationId: string,
  which: Which,
  purpose: CredentialPurpose = 'primary',
): Statement<StoredCredential> {
  const organization = sql.value(organizationId);
  return sql`
    select ${select} from integration i
    join integration_credential c on c.organization_id = ${organization} and c.integration_id = i.id
    where ${isChosen(organizationId, which)} and c.purpose = ${purpose}`;
}
