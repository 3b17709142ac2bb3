import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { decodeJwt, decodeProtectedHeader, errors, type JWTHeaderParameters, jwtVerify } from 'jose';
import { Config, type OidcConfig } from '../../../config/index.ts';
import { Clock } from '../../clock/index.ts';
import { Egress } from '../../egress/index.ts';
import { ApiError } from '../../errors/index.ts';
import type { OwnerIdentity } from '../../principals/index.ts';
import { fetchJsonOf } from './fetch-json.ts';
import { CLOCK_SKEW_SECONDS, isCallersType, ownerOf, refusedClaim } from './oidc-claims.ts';
import { fetchKeySet } from './provider-documents.ts';
import { ProviderKeys } from './provider-keys.ts';

/** Signatures with a public key, as providers make them; `none` and HMAC are never among them. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

const JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const KID_MAX_LENGTH = 255;

export interface VerifiedOwner {
  readonly identity: OwnerIdentity;
  /** How long the token is accepted from now on. */
  readonly validForMs: number;
}

/** The tokens of the deployment's OpenID provider. Knows none, and reads nothing, if the deployment has no provider. */
@Injectable()
export class OidcTokens implements OnApplicationBootstrap {
  private readonly logger = new Logger('Oidc');
  private readonly provider: OidcConfig | undefined;
  private readonly keys: ProviderKeys | undefined;

  constructor(
    config: Config,
    private readonly clock: Clock,
    egress: Egress,
  ) {
    this.provider = config.oidc;
    if (!this.provider) return;
    const { issuer } = this.provider;
    const fetchJson = fetchJsonOf(issuer, egress);
    this.keys = new ProviderKeys(issuer, clock, () => fetchKeySet(issuer, fetchJson));
  }

  /** Does not wait: the service starts without its provider. */
  onApplicationBootstrap(): void {
    this.keys?.prepare().catch(() => undefined);
  }

  /** Whether there is a provider, and the token has the form of one of its tokens. */
  mayKnow(token: string): boolean {
    return this.provider !== undefined && JWS.test(token);
  }

  /**
   * The owner of such a token; undefined if the provider did not sign it, or not for calls of this service. Throws 503
   * while the provider's keys cannot be read.
   */
  async verify(token: string): Promise<VerifiedOwner | undefined> {
    const { provider, keys } = this;
    if (!provider || !keys) return undefined;
    const said = sayingOf(token);
    if (said?.issuer !== provider.issuer) {
      if (said) await this.explainIssuer(token, keys, said.issuer);
      return undefined;
    }
    const { issuer, audiences } = provider;
    const nowMs = this.clock.epochMs();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, (header) => keys.find(header), {
        algorithms: ALGORITHMS,
        issuer,
        audience: [...audiences],
        requiredClaims: ['sub', 'exp'],
        clockTolerance: CLOCK_SKEW_SECONDS,
        currentDate: new Date(nowMs),
      });
      const claim = refusedClaim(payload, protectedHeader, audiences, nowMs / 1000);
      if (claim === undefined) return { identity: ownerOf(issuer, payload), validForMs: endMs(payload.exp!) - nowMs };
      this.logger.log(`a token of the provider was refused: its "${claim}" claim is not acceptable`);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      this.explain(error as Error);
    }
    return undefined;
  }

  /** Says so where the provider signed a token under another issuer: a slash or a version that OIDC_ISSUER lacks. */
  private async explainIssuer(token: string, keys: ProviderKeys, said: unknown): Promise<void> {
    try {
      await jwtVerify(token, (header) => keys.findKnown(header), { algorithms: ALGORITHMS });
    } catch {
      return;
    }
    const shown = (JSON.stringify(said) ?? 'nothing').slice(0, 300);
    this.logger.log(`a token of the provider was refused: its "iss" claim is ${shown}, which is not OIDC_ISSUER`);
  }

  /** Whether a token that expires then, by its claim, is not accepted any more. */
  isOver(expiresAt: string): boolean {
    return endMs(Date.parse(expiresAt) / 1000) <= this.clock.epochMs();
  }

  /** Says to the operator why a token is refused; of tokens that the provider did not sign there may be any number. */
  private explain(error: Error): void {
    const isSigned = error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired;
    if (isSigned) this.logger.log(`a token of the provider was refused: ${error.message}`);
    else if (error instanceof errors.JOSEError) this.logger.debug(`a token was refused: ${error.message}`);
    else this.logger.warn(`a key of the provider could not be used: ${error.message}`);
  }
}

/** Whose token it says to be, before anybody reads a key for it; undefined if it could not be a caller's token. */
function sayingOf(token: string): { readonly issuer: unknown } | undefined {
  try {
    const header = decodeProtectedHeader(token) as JWTHeaderParameters;
    const { kid } = header;
    const namesKey = typeof kid === 'string' && kid.length > 0 && kid.length <= KID_MAX_LENGTH;
    return namesKey && isCallersType(header) ? { issuer: decodeJwt(token).iss } : undefined;
  } catch {
    return undefined;
  }
}

function endMs(expSeconds: number): number {
  return (expSeconds + CLOCK_SKEW_SECONDS) * 1000;
}
