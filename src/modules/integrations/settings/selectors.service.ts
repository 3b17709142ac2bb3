import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { ownerWriteAccess } from '../../../kernel/tenancy/index.ts';
import { byRef } from '../changes/connector-changes.service.ts';
import { credentialedConnector } from '../credentials/credentialed-connector.ts';
import { ProviderAskingService, type Question, requireAskable } from '../credentials/provider-asking.service.ts';
import { conflict, IntegrationIssues, NOT_FOUND } from '../integration.errors.ts';
import type { ProviderSecret } from '../provider-adapters.port.ts';
import { type GivenFields, ownerAnswerTo } from '../provider-failures.ts';
import type { ConnectorRow } from '../readiness/connectors.queries.ts';
import { ReadinessService } from '../readiness/readiness.service.ts';

/** What an owner may choose from. */
export interface Selector<T> {
  /** The kind of connector that has it; another one is 409 `not_supported`. */
  readonly kind: string;
  /** A credential that the request brings; the stored one is used without. */
  readonly secret?: ProviderSecret | undefined;
  /** The fields of the request that a refusal of the provider is about. */
  readonly given?: GivenFields;
  readonly ask: (question: Question, row: ConnectorRow) => Promise<T>;
}

/** Asks providers what there is to choose from, while an owner makes up settings. Stores nothing, whatever comes of it. */
@Injectable()
export class SelectorsService {
  constructor(
    private readonly reads: Reads,
    private readonly readiness: ReadinessService,
    private readonly asking: ProviderAskingService,
  ) {}

  async choices<T>(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    { kind, secret, given, ask: asked }: Selector<T>,
  ): Promise<T> {
    const found = await this.reads.listThrough(
      ownerWriteAccess(owner, organizationId, {}),
      credentialedConnector(organizationId, byRef(ref)),
    );
    if (!found) throw new ApiError(NOT_FOUND);
    if (found.row.kind !== kind) throw conflict(IntegrationIssues.notSupported);
    const connector = this.readiness.of(found.row);
    requireAskable(connector);
    const ask = (question: Question) => asked(question, found.row);
    try {
      return await (secret
        ? this.asking.with(connector, secret, 'ownerCall', ask)
        : this.asking.stored(connector, found.credential, 'ownerCall', ask));
    } catch (error) {
      throw ownerAnswerTo(error, given);
    }
  }
}
