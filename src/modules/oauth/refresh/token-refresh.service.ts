import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { Bus } from '../../../kernel/bus/index.ts';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { type Addend, Metrics } from '../../../kernel/metrics/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import {
  conflict,
  ConnectorChangesService,
  type ConnectorRow,
  connectors,
  ConnectorSecretsService,
  credentialOf,
  HealthObservationsService,
  IntegrationIssues,
  NOT_FOUND,
  type StoredCredential,
} from '../../integrations/index.ts';
import type { OAuth2Secret } from '../authorization-server.ts';
import { ClientSecretsService } from '../client-secrets.service.ts';
import { RegistrationsService } from '../mcp/registrations.service.ts';
import { OauthNetsService } from '../oauth-nets.service.ts';
import { OAUTH } from '../oauth.policy.ts';
import { refreshTokens, type TokenAnswer, type Tokens } from '../oauth2/token-endpoint.ts';
import { unavailable } from '../unavailable.ts';
import { WorkspaceServerService } from '../workspace/workspace-server.service.ts';
import { OauthMetrics, REFRESH_OUTCOMES } from './oauth.metrics.ts';
import {
  type Claim,
  claimRefresh,
  postponeRefresh,
  type RefreshableRow,
  requireReauthorization,
  restRefresh,
  storeTokens,
  type TokenPlace,
} from './token-refresh.queries.ts';

/** How long a call waits for the refresh of another one. */
const WAIT_MS = 12_000;
const FIRST_LOOK_MS = 100;
const MOVED = 'oauth-token';
const REFRESHER = { kind: 'system', name: 'oauth' } as const;

/** A claim of this process, with the moment after which it may be another one's already. */
interface OwnClaim extends Claim {
  readonly leavesUntilMs: number;
}

type Outcome = (typeof REFRESH_OUTCOMES)[number];

/**
 * Refreshes access tokens, each version once for all replicas: a claim in the database says who asks, everybody else waits
 * for the version to move. Nothing is held while the authorization server is asked.
 */
@Injectable()
export class TokenRefreshService {
  private readonly logger = new Logger('OAuth');
  private readonly running = new Map<string, Promise<StoredCredential>>();
  private readonly waiting = new Map<string, Set<() => void>>();
  private readonly outcomes: Readonly<Record<Outcome, Addend>>;

  constructor(
    private readonly config: Config,
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly bus: Bus,
    private readonly nets: OauthNetsService,
    private readonly secrets: ConnectorSecretsService,
    private readonly clients: ClientSecretsService,
    private readonly registrations: RegistrationsService,
    private readonly workspace: WorkspaceServerService,
    private readonly changes: ConnectorChangesService,
    private readonly health: HealthObservationsService,
    metrics: Metrics,
  ) {
    const series = REFRESH_OUTCOMES.map(
      (outcome) => [outcome, metrics.counter(OauthMetrics.refreshes, { outcome })] as const,
    );
    this.outcomes = Object.fromEntries(series) as typeof this.outcomes;
    bus.subscribe(MOVED, ({ integrationId }) => this.wake(String(integrationId)));
  }

  /** The credential with a token of a later version than this one; calls of this process for the same one share the work. */
  refreshed(place: TokenPlace): Promise<StoredCredential> {
    const { integrationId, generation, tokenVersion } = place;
    const key = `${integrationId} ${generation} ${tokenVersion}`;
    const running = this.running.get(key);
    if (running) return running;
    const made = this.refresh(place).finally(() => this.running.delete(key));
    this.running.set(key, made);
    return made;
  }

  private async refresh(place: TokenPlace): Promise<StoredCredential> {
    const until = performance.now() + WAIT_MS;
    for (let lookMs = FIRST_LOOK_MS; ; lookMs *= 2) {
      const moved = this.nextMove(place.integrationId);
      try {
        const claim = { ...place, claim: randomUUID(), leavesUntilMs: performance.now() + OAUTH.claimMs };
        const row = await this.claimed(claim);
        if (row.generation !== place.generation) throw conflict(IntegrationIssues.changedMeanwhile);
        if (row.state !== 'connected') throw conflict(IntegrationIssues.needsCredentials);
        if (row.tokenVersion > place.tokenVersion) return row;
        if (row.isClaimed) return await this.askFor(claim, row);
        const leftMs = until - performance.now();
        // Nobody refreshes it now, because it is not to be tried again yet.
        if (!row.isBusy || leftMs <= 0) throw unavailable();
        await Promise.race([moved.promise, wait(Math.min(lookMs, leftMs))]);
      } finally {
        moved.stop();
      }
    }
  }

  private async claimed(claim: OwnClaim): Promise<RefreshableRow> {
    const [[row]] = await this.transactions.batch(accessTo(claim), [claimRefresh(claim, claim.claim)]);
    if (!row) throw conflict(IntegrationIssues.needsCredentials);
    return row;
  }

  private async askFor(claim: OwnClaim, row: RefreshableRow): Promise<StoredCredential> {
    const secret = await this.secrets.open<OAuth2Secret>(row);
    if (secret.refreshToken === null) return this.withoutRefresh(claim, row);
    const [connector] = await this.reads.through(
      accessTo(claim),
      connectors(claim.organizationId, { id: claim.integrationId }),
    );
    if (!connector) throw conflict(IntegrationIssues.needsCredentials);
    const answer = await this.ask(connector, row, secret, secret.refreshToken, claim.leavesUntilMs);
    switch (answer.kind) {
      case 'tokens':
        return this.store(claim, row, secret, answer.tokens);
      case 'grant_refused':
        return this.refused(claim);
      case 'client_refused':
        return this.clientRefused(claim, connector, secret);
      case 'later':
        return this.postponed(claim, answer.retryAfterSeconds);
    }
  }

  private async ask(
    { organizationId, id: integrationId, organization }: ConnectorRow,
    { resource }: StoredCredential,
    { server, clientSecret: own }: OAuth2Secret,
    refreshToken: string,
    leavesUntilMs: number,
  ): Promise<TokenAnswer> {
    const clientSecret = this.clients.of(server, own);
    if (clientSecret === undefined) return { kind: 'client_refused' };
    const { approvedOrigins } = this.config.integrations;
    const isWorkspace = server.issuer === this.workspace.addresses.issuer;
    const { blockedDomains } = organization;
    const approves = (address: string) => (isWorkspace ? this.workspace.has(address) : approvedOrigins.has(address));
    const get = this.nets.to({ organizationId, integrationId, blockedDomains }, approves, leavesUntilMs);
    return refreshTokens({ server, clientSecret, resource, get }, refreshToken);
  }

  /** Stored before its first use; where another credential came meanwhile, what came is dropped. */
  private async store(
    claim: Claim,
    row: StoredCredential,
    secret: OAuth2Secret,
    { accessToken, refreshToken, scopes, expiresInSeconds }: Tokens,
  ): Promise<StoredCredential> {
    const next: OAuth2Secret = { ...secret, accessToken, refreshToken: refreshToken ?? secret.refreshToken };
    const sealed = this.secrets.seal(row, next);
    const [[stored]] = await this.transactions.batch(accessTo(claim), [
      storeTokens(claim, { ...sealed, scopes, expiresInSeconds }),
    ]);
    this.outcomes[stored ? 'stored' : 'lost'].inc();
    if (!stored) {
      const newer = await this.newer(claim);
      if (newer) return newer;
      throw conflict(IntegrationIssues.changedMeanwhile);
    }
    this.bus.publish(MOVED, { integrationId: claim.integrationId });
    const { tokenVersion } = stored;
    return { ...row, ...sealed, tokenVersion, scopes: scopes ?? row.scopes, accessSecondsLeft: expiresInSeconds };
  }

  /** A token that cannot be refreshed holds as long as it holds. */
  private async withoutRefresh(claim: Claim, row: RefreshableRow): Promise<StoredCredential> {
    const isOver = row.accessSecondsLeft !== null && row.accessSecondsLeft <= 0;
    if (isOver) return this.refused(claim);
    await this.transactions.batch(accessTo(claim), [restRefresh(claim)]);
    throw conflict(IntegrationIssues.credentialRefused);
  }

  /** A person has to authorize anew, unless another process was faster with this very grant. */
  private async refused(claim: Claim): Promise<StoredCredential> {
    this.outcomes.grant_refused.inc();
    await this.reauthorize(claim);
    const row = await this.newer(claim);
    if (row) return row;
    throw conflict(IntegrationIssues.needsCredentials);
  }

  /** What another process has refreshed meanwhile; undefined where it is still the same version. */
  private async newer(claim: Claim): Promise<StoredCredential | undefined> {
    const { organizationId, integrationId, generation, tokenVersion } = claim;
    const [row] = await this.reads.through(accessTo(claim), credentialOf(organizationId, integrationId));
    return row?.generation === generation && row.tokenVersion > tokenVersion ? row : undefined;
  }

  private async clientRefused(claim: Claim, connector: ConnectorRow, { server }: OAuth2Secret): Promise<never> {
    this.outcomes.client_refused.inc();
    if (server.client.source === 'registered') {
      await this.registrations.rejected(claim.organizationId, server.client);
      await this.reauthorize(claim);
      throw conflict(IntegrationIssues.needsCredentials);
    }
    this.logger.error(`the authorization server ${server.issuer} refuses the client of this deployment`);
    await this.transactions.batch(accessTo(claim), [postponeRefresh(claim, null)]);
    await this.health.observe(connector, { scope: 'credential', code: 'client_rejected' });
    throw unavailable();
  }

  /** Another process, which thought this one dead, may have been answered. */
  private async postponed(claim: Claim, retryAfterSeconds: number | null): Promise<StoredCredential> {
    this.outcomes.postponed.inc();
    await this.transactions.batch(accessTo(claim), [postponeRefresh(claim, retryAfterSeconds)]);
    this.bus.publish(MOVED, { integrationId: claim.integrationId });
    const row = await this.newer(claim);
    if (row) return row;
    throw unavailable();
  }

  private async reauthorize(claim: Claim): Promise<void> {
    await this.transactions.through(accessTo(claim), (tx) =>
      this.changes.change(tx, { id: claim.integrationId }, { actor: REFRESHER, mayMoveEpoch: false }, async () => {
        const marked = await tx.rows(requireReauthorization(claim));
        return marked.length === 0 ? undefined : { entries: [{ verb: 'integration.reauthorization_required' }] };
      }),
    );
    this.bus.publish(MOVED, { integrationId: claim.integrationId });
  }

  /** Resolves when some process has said that the connector's token moved. */
  private nextMove(integrationId: string): { readonly promise: Promise<void>; readonly stop: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.waiting.get(integrationId) ?? new Set();
    waiting.add(resolve);
    this.waiting.set(integrationId, waiting);
    const stop = () => {
      waiting.delete(resolve);
      if (waiting.size === 0) this.waiting.delete(integrationId);
    };
    return { promise, stop };
  }

  private wake(integrationId: string): void {
    for (const resolve of this.waiting.get(integrationId) ?? []) resolve();
  }
}

/** Whether an error only says that there is no newer token right now, or never will be, so that the old one is good yet. */
export function leavesOldToken(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.row.status === 503 || error.issues?.[0]?.code === IntegrationIssues.credentialRefused.code;
}

function accessTo({ organizationId }: TokenPlace) {
  return standingAccess(organizationId, NOT_FOUND);
}
