import { Injectable } from '@nestjs/common';
import type { StoredCredential } from '../credential-source.port.ts';
import { conflict, IntegrationIssues } from '../integration.errors.ts';
import {
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
}

/** Seconds that a token is good for at least when it is used. */
const VALID_SECONDS = 60;

/** Asks providers in an owner's name, or for a job. */
@Injectable()
export class ProviderAskingService {
  constructor(
    private readonly adapters: ProviderAdapters,
    private readonly nets: ProviderNetsService,
    private readonly secrets: ConnectorSecretsService,
  ) {}

  /** A question with a secret that was just given. */
  with(connector: StandingConnector, secret: ProviderSecret, purpose: NetPurpose, signal?: AbortSignal): Question {
    return this.question(connector, secret, this.netTo(connector, purpose, signal));
  }

  /** Asks with the stored credential; once more where the provider refuses a token that can be renewed. */
  async stored<T>(
    connector: StandingConnector,
    credential: StoredCredential | undefined,
    purpose: NetPurpose,
    ask: (question: Question) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    if (!credential) throw conflict(IntegrationIssues.needsCredentials);
    const net = this.netTo(connector, purpose, signal);
    const { kind } = connector.row;
    const first = await this.secrets.authorization(credential, kind, VALID_SECONDS, net.signal);
    try {
      return await ask(this.question(connector, first.secret, net));
    } catch (error) {
      if (!(error instanceof ProviderFailure && error.failure.code === 'credential_refused')) throw error;
      const renewed = await this.secrets.renewed(credential, first.tokenVersion, net.signal);
      if (!renewed) throw error;
      return ask(this.question(connector, renewed.secret, net));
    }
  }

  /** The tools of a kind whose tools the release fixes. */
  fixedTools(kind: string, settings: Readonly<Record<string, unknown>> | null): readonly ListedTool[] {
    return this.adapters.of(kind)?.tools?.(settings) ?? [];
  }

  private netTo({ row }: StandingConnector, purpose: NetPurpose, signal?: AbortSignal): ProviderNet {
    const { organizationId, id, kind, endpoint, organization } = row;
    const { blockedDomains } = organization;
    return this.nets.to({ organizationId, integrationId: id, kind, endpoint, blockedDomains }, purpose, signal);
  }

  private question({ row }: StandingConnector, secret: ProviderSecret, net: ProviderNet): Question {
    const adapter = this.adapters.of(row.kind);
    if (!adapter) throw conflict(IntegrationIssues.retired);
    return { adapter, access: { endpoint: row.endpoint, secret, mcp: row.mcp }, net };
  }
}

/** Refuses to ask for a connector that the row, or the organization, forbids. */
export function requireAskable({ readiness }: StandingConnector): void {
  if (readiness === 'retired') throw conflict(IntegrationIssues.retired);
  if (readiness === 'blocked') throw conflict(IntegrationIssues.blocked);
}
