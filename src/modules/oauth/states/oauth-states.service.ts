import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { randomToken } from '../../../kernel/crypto/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { Secrets } from '../../../kernel/secrets/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { OauthErrors } from '../oauth.errors.ts';
import { OAUTH } from '../oauth.policy.ts';
import type { Callback } from '../oauth.state.ts';
import {
  type Arrival,
  awaitConfirmation,
  endState,
  expiryOfStates,
  insertState,
  liveStates,
  type NewState,
  type StateRow,
  takeConfirmed,
  takeState,
  voidEarlier,
} from './oauth-states.queries.ts';

/** What an authorization keeps to itself until its callback. */
export interface StateSecret {
  readonly verifier: string;
  readonly nonce: string | null;
  /** Of a client that was registered. */
  readonly clientSecret: string | null;
  /** Of OAuth 1.0a. */
  readonly requestToken: { readonly key: string; readonly secret: string } | null;
}

/** An authorization that one callback, or one confirmation, has taken; with what it kept. */
export interface TakenState<Kept> extends StateRow {
  readonly kept: Kept;
}

/** Authorizations on their way: each is started, taken and ended once. */
@Injectable()
export class OauthStatesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly secrets: Secrets,
  ) {}

  /** Starts one in place of what the same person started for this connector before. */
  async start(owner: OwnerPrincipal, state: NewState, kept: StateSecret): Promise<{ readonly expiresAt: string }> {
    const { organizationId, integrationId } = state;
    const sealed = this.secrets.seal(kept, contextOf(state.stateHash));
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const [, [live], [expiry]] = await tx.batch([
        voidEarlier(organizationId, integrationId, owner.subject),
        liveStates(organizationId, integrationId),
        expiryOfStates(),
      ]);
      if (live!.count >= OAUTH.mostLive) throw new ApiError(OauthErrors.tooManyStarts);
      await tx.rows(insertState(state, expiry!.expiresAt, sealed));
      return expiry!;
    });
  }

  /** Takes an authorization for its callback; undefined where there is none that this callback may take. */
  async take(arrival: Arrival): Promise<TakenState<StateSecret> | undefined> {
    const [state] = await this.transactions.asSubject('', (tx) => tx.rows(takeState(arrival)));
    return state && this.opened<StateSecret>(state);
  }

  /** Keeps what came until a person confirms it; answers what their button carries. */
  async awaitConfirmation(state: StateRow, result: unknown): Promise<string> {
    const token = randomToken();
    const sealed = this.secrets.seal(result, contextOf(state.stateHash));
    const { organizationId, stateHash } = state;
    await this.transactions.batch(accessTo(organizationId), [
      awaitConfirmation(organizationId, stateHash, hashOf(token), sealed),
    ]);
    return token;
  }

  async confirm<Result>(
    token: string,
    callback: Callback,
    redirectUri: string,
  ): Promise<TakenState<Result> | undefined> {
    const taken = takeConfirmed(hashOf(token), callback, redirectUri);
    const [state] = await this.transactions.asSubject('', (tx) => tx.rows(taken));
    return state && this.opened<Result>(state);
  }

  async end({ organizationId, stateHash }: StateRow, status: 'completed' | 'failed'): Promise<void> {
    await this.transactions.batch(accessTo(organizationId), [endState(organizationId, stateHash, status)]);
  }

  private opened<Kept>(state: StateRow): TakenState<Kept> {
    const { stateHash, keyId, wrappedKey, sealed } = state;
    if (keyId === null || wrappedKey === null || sealed === null)
      throw new Error('An authorization has lost its secret.');
    return { ...state, kept: this.secrets.open<Kept>({ keyId, wrappedKey, sealed }, contextOf(stateHash)) };
  }
}

/** SHA-256 in hexadecimal digits, as the rows have it. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function contextOf(stateHash: string): readonly string[] {
  return ['oauth_state', stateHash];
}

function accessTo(organizationId: string) {
  return standingAccess(organizationId, EdgeErrors.organizationNotFound);
}
