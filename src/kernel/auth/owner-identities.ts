import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Config } from '../../config/index.ts';
import { Clock } from '../clock/index.ts';
import { Secrets, sha256 } from '../crypto/index.ts';
import { Reads } from '../database/index.ts';
import { BOOTSTRAP } from '../tenancy/index.ts';
import { Bus } from '../bus/index.ts';
import { type OwnerIdentity, SCOPES } from '../principals/index.ts';
import { OidcTokens, type VerifiedOwner } from './oidc/index.ts';
import { tokenOfHash } from './owner-tokens.queries.ts';

/** Prefix of every personal token, by which scanners for leaked secrets recognise one. */
export const TOKEN_PREFIX = 'brt_';
const TOKEN = new RegExp(`^${TOKEN_PREFIX}[A-Za-z0-9_-]{43}$`);

const MAX_AGE_MS = 10_000;

interface Known {
  readonly identity: OwnerIdentity;
  readonly untilMs: number;
}

const REVOKED = 'owner-token.revoked';

const UNLIMITED = { scopes: SCOPES, organizationIds: null } as const;

/**
 * Finds the owner of a token, and what the token is limited to, which never changes. Caches only this, for at most 10 s;
 * membership and role are read with the data of each request. A revocation reaches every process over the bus; if that
 * message is lost, the token works for at most 10 s more.
 */
@Injectable()
export class OwnerIdentities {
  private readonly known = new LRUCache<string, Known>({ max: 10_000 });
  private readonly bootstrapToken: Secrets;
  private revocations = 0;

  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
    private readonly oidc: OidcTokens,
    config: Config,
    private readonly bus: Bus,
  ) {
    bus.subscribe(REVOKED, ({ tokenId }) => this.forget(String(tokenId)));
    bus.onGap(() => this.forgetAll());
    this.bootstrapToken = new Secrets([config.ownerBootstrapToken]);
  }

  async identify(token: string): Promise<OwnerIdentity | undefined> {
    const hash = sha256(token);
    if (this.bootstrapToken.include(hash))
      return { kind: 'owner', subject: BOOTSTRAP, name: BOOTSTRAP, tokenId: null, expiresAt: null, ...UNLIMITED };
    const isPersonal = TOKEN.test(token);
    if (!isPersonal && !this.oidc.mayKnow(token)) return undefined;
    const key = hash.toString('base64');
    const known = this.known.get(key);
    const nowMs = this.clock.monotonicMs();
    if (known && known.untilMs > nowMs) return known.identity;
    this.known.delete(key);
    const { revocations } = this;
    const verified = await (isPersonal ? this.ofPersonalToken(hash) : this.oidc.verify(token));
    if (!verified) return undefined;
    const { identity, validForMs } = verified;
    const untilMs = nowMs + Math.min(MAX_AGE_MS, validForMs);
    // A token may have been revoked while it was looked up; then it must not be cached.
    if (revocations === this.revocations) this.known.set(key, { identity, untilMs });
    return identity;
  }

  /** Whether an owner's token has expired that no row of the database tells of. */
  hasLapsed({ tokenId, expiresAt }: Pick<OwnerIdentity, 'tokenId' | 'expiresAt'>): boolean {
    return tokenId === null && expiresAt !== null && this.oidc.isOver(expiresAt);
  }

  /** Makes every process forget a token; call it after the revocation is committed. */
  revoked(tokenId: string): void {
    this.bus.publish(REVOKED, { tokenId });
  }

  private async ofPersonalToken(hash: Buffer): Promise<VerifiedOwner | undefined> {
    const [row] = await this.reads.identity(tokenOfHash(hash));
    if (!row) return undefined;
    const { id: tokenId, subject, name, expiresAt, scopes, organizationIds } = row;
    return {
      identity: { kind: 'owner', subject, name, tokenId, expiresAt, scopes, organizationIds },
      validForMs: row.expiresInMs ?? Number.POSITIVE_INFINITY,
    };
  }

  private forget(tokenId: string): void {
    this.revocations += 1;
    for (const [key, known] of this.known.entries()) if (known.identity.tokenId === tokenId) this.known.delete(key);
  }

  private forgetAll(): void {
    this.revocations += 1;
    this.known.clear();
  }
}
