import { Injectable } from '@nestjs/common';
import { Metrics, type Sample } from '../../../kernel/metrics/index.ts';
import type { Authorized, StoredCredential } from '../credential-source.port.ts';
import { conflict, IntegrationIssues } from '../integration.errors.ts';
import { IntegrationMetrics } from '../integration.metrics.ts';
import {
  type Inventory,
  type ListedTool,
  type ProviderAccess,
  type ProviderAdapter,
  ProviderAdapters,
  ProviderFailure,
  type ProviderNet,
  type ProviderSecret,
} from '../provider-adapters.port.ts';
import { type NetPurpose, ProviderNetsService } from '../provider-nets.service.ts';
import type { StandingConnector } from '../readiness/readiness.service.ts';
import { ConnectorSecretsService } from './connector-secrets.service.ts';

/** All that one question to a provider takes. */
export interface Question {
  readonly adapter: ProviderAdapter;
  readonly access: ProviderAccess;
  readonly net: ProviderNet;
  /** Values that must not appear in what agents get. */
  readonly secrets: readonly string[];
}

/** For an owner who waits, for a job, for figures, for a call that reads, or for an action that is prepared and sent. */
export type AskingPurpose = Exclude<NetPurpose, 'send'>;

/** Seconds that a token is good for at least when it is used; what is prepared is sent a while later. */
const VALID_SECONDS: Readonly<Record<AskingPurpose, number>> = {
  ownerCall: 60,
  read: 60,
  report: 90,
  call: 60,
  action: 90,
};

type GivenSecrets = Pick<Authorized, 'secret' | 'secrets'>;

/** Asks providers in an owner's name, or for a job. */
@Injectable()
export class ProviderAskingService {
  private readonly seconds: Readonly<Record<AskingPurpose, Sample>>;

  constructor(
    private readonly adapters: ProviderAdapters,
    private readonly nets: ProviderNetsService,
    private readonly secrets: ConnectorSecretsService,
    metrics: Metrics,
  ) {
    const seconds = (purpose: 'owner_call' | 'job' | 'call' | 'action') =>
      metrics.histogram(IntegrationMetrics.providerSeconds, { purpose });
    this.seconds = {
      ownerCall: seconds('owner_call'),
      read: seconds('job'),
      report: seconds('job'),
      call: seconds('call'),
      action: seconds('action'),
    };
  }

  /** Asks with a secret that was just given. */
  with<T>(
    connector: StandingConnector,
    secret: ProviderSecret,
    purpose: AskingPurpose,
    ask: (question: Question) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const given = { secret, secrets: [] };
    const question = this.question(connector, given, this.wayTo(connector, purpose, signal).with(secret));
    return this.timed(purpose, () => ask(question));
  }

  /** Asks with the stored credential; once more where the provider refuses a token that can be renewed. */
  async stored<T>(
    connector: StandingConnector,
    credential: StoredCredential | undefined,
    purpose: AskingPurpose,
    ask: (question: Question) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    if (!credential) throw conflict(IntegrationIssues.needsCredentials);
    const way = this.wayTo(connector, purpose, signal);
    const { kind } = connector.row;
    const first = await this.secrets.authorization(credential, kind, VALID_SECONDS[purpose], way.signal);
    const askWith = (given: GivenSecrets) =>
      this.timed(purpose, () => ask(this.question(connector, given, way.with(given.secret))));
    try {
      return await askWith(first);
    } catch (error) {
      if (!(error instanceof ProviderFailure && error.failure.code === 'credential_refused')) throw error;
      const renewed = await this.secrets.renewed(credential, first.tokenVersion, way.signal);
      if (!renewed) throw error;
      return askWith(renewed);
    }
  }

  /** Lists the tools of a connector whose tools are discovered. */
  list(
    connector: StandingConnector,
    credential: StoredCredential | undefined,
    purpose: AskingPurpose,
    signal?: AbortSignal,
  ): Promise<Inventory> {
    const list = async ({ adapter, access, net }: Question) => {
      if (!adapter.open) throw new TypeError(`The tools of ${adapter.entry.key} are fixed.`);
      const session = await adapter.open(access, net);
      try {
        return await session.list();
      } finally {
        await session.close();
      }
    };
    return this.stored(connector, credential, purpose, list, signal);
  }

  /** The tools of a kind whose tools the release fixes. */
  fixedTools(kind: string, settings: Readonly<Record<string, unknown>> | null): readonly ListedTool[] {
    return this.adapters.of(kind)?.tools?.(settings) ?? [];
  }

  private async timed<T>(purpose: AskingPurpose, ask: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await ask();
    } finally {
      this.seconds[purpose].observe((performance.now() - began) / 1_000);
    }
  }

  private wayTo({ row }: StandingConnector, purpose: AskingPurpose, signal?: AbortSignal) {
    const { organizationId, id, kind, endpoint, organization } = row;
    const { blockedDomains } = organization;
    return this.nets.to({ organizationId, integrationId: id, kind, endpoint, blockedDomains }, purpose, signal);
  }

  private question({ row }: StandingConnector, { secret, secrets }: GivenSecrets, net: ProviderNet): Question {
    const adapter = this.adapters.of(row.kind);
    if (!adapter) throw conflict(IntegrationIssues.retired);
    return {
      adapter,
      access: { organizationId: row.organizationId, endpoint: row.endpoint, secret, mcp: row.mcp },
      net,
      secrets,
    };
  }
}

/** Refuses to ask for a connector that the row, or the organization, forbids. */
export function requireAskable({ readiness }: StandingConnector): void {
  if (readiness === 'retired') throw conflict(IntegrationIssues.retired);
  if (readiness === 'blocked') throw conflict(IntegrationIssues.blocked);
}
