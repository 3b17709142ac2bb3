import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Metrics } from '../../../kernel/metrics/index.ts';
import { byRef, ConnectorChangesService } from '../changes/connector-changes.service.ts';
import { credentialedConnector, type CredentialedRow } from '../credentials/credentialed-connector.ts';
import { ProviderAskingService } from '../credentials/provider-asking.service.ts';
import { ConnectorChanged } from '../connector-changed.port.ts';
import { NOT_FOUND } from '../integration.errors.ts';
import { generationOf, type Health, type Observation } from '../integration.state.ts';
import { IntegrationMetrics } from '../integration.metrics.ts';
import { type Failure, type Inventory, ProviderFailure, type Verified } from '../provider-adapters.port.ts';
import { failedSighting } from '../provider-failures.ts';
import type { ConnectorRow, ConnectorTool } from '../readiness/connectors.queries.ts';
import { ReadinessService, type StandingConnector } from '../readiness/readiness.service.ts';
import { later } from '../database-time.ts';
import { checked, type Remembered, type Sighting } from './health.policy.ts';
import { HealthObservationsService, notedOf } from './health-observations.service.ts';

/** Longer than a check may take, so that one whose process died does not hold up the next one for long. */
const CHECK_SECONDS = 40;

const OTHER_ACCOUNT: Failure = { code: 'credential_refused', status: null, retryAfterSeconds: null, sent: true };

/** What the provider said to a check. */
interface Looked {
  readonly observations: readonly Omit<Observation, 'checkedAt'>[];
  /** Whether it lists other tools than it did. */
  readonly hasOtherTools: boolean;
  /** What else is remembered of the connector. */
  readonly sighting: Remembered;
  /** Whether nothing failed. */
  readonly isPassed: boolean;
}

/** Looks on an owner's demand whether a connector works. */
@Injectable()
export class CheckService {
  private readonly outcomes;

  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly readiness: ReadinessService,
    private readonly asking: ProviderAskingService,
    private readonly changes: ConnectorChangesService,
    private readonly observations: HealthObservationsService,
    private readonly changed: ConnectorChanged,
    metrics: Metrics,
  ) {
    const counter = (outcome: 'verified' | 'failed') => metrics.counter(IntegrationMetrics.checks, { outcome });
    this.outcomes = { verified: counter('verified'), failed: counter('failed') };
  }

  /** One at a time: a second one answers at once with what is known. */
  async check(owner: OwnerPrincipal, organizationId: string, ref: string): Promise<StandingConnector> {
    const which = byRef(ref);
    const found = await this.reads.listInOrganization(
      owner,
      organizationId,
      credentialedConnector(organizationId, which),
    );
    if (!found) throw new ApiError(NOT_FOUND);
    const { row } = found;
    const isOurs = await this.begin(owner, row.organizationId, row.id);
    if (!isOurs) return this.readiness.of(row);
    const looked = await this.look(found);
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      await this.changes.change(tx, { id: row.id }, { actor: owner, mayMoveEpoch: false }, async (held) => {
        const generation = generationOf(held.row);
        if (!looked || generation !== generationOf(row))
          return void (await tx.rows(this.changes.noted(held, { checkUntil: null })));
        if (looked.isPassed) await this.tell(tx, held.row);
        return this.observations.changeTo(tx, held, healthBehind(held.row.health, generation, looked, held.now), {
          checkUntil: null,
          ...(looked.hasOtherTools ? { inventoryDueAt: held.now } : {}),
          ...notedOf(held.row, [looked.sighting]),
        });
      });
      return this.changes.read(tx, { id: row.id });
    });
  }

  /** Whether this is the check that runs now. */
  private async begin(owner: OwnerPrincipal, organizationId: string, id: string): Promise<boolean> {
    let isOurs = false;
    await this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.changes.change(tx, { id }, { actor: owner, mayMoveEpoch: false }, async (held) => {
        const { checkUntil } = held.row;
        isOurs = checkUntil === null || checkUntil <= held.now;
        if (isOurs) await tx.rows(this.changes.noted(held, { checkUntil: later(held.now, CHECK_SECONDS * 1_000) }));
        return undefined;
      }),
    );
    return isOurs;
  }

  /** A check that passed is news to those who stopped because something failed. */
  private async tell(tx: Tx, row: ConnectorRow): Promise<void> {
    const statements = this.changed.statements(row);
    if (statements.length > 0) await tx.batch(statements);
  }

  /** Undefined where there is nobody to ask. */
  private async look({ row, credential }: CredentialedRow): Promise<Looked | undefined> {
    const connector = this.readiness.of(row);
    const isAskable = connector.readiness !== 'retired' && connector.readiness !== 'blocked';
    if (!isAskable || credential?.state !== 'connected') return undefined;
    try {
      const { settings } = row;
      const verified = await this.asking.stored(connector, credential, 'ownerCall', ({ adapter, access, net }) =>
        adapter.verify(access, settings, net),
      );
      const { subject } = verified.account;
      const { identity = null } = row.credential ?? {};
      // What is stored was chosen from another account.
      if (subject !== null && identity !== null && subject !== identity) throw new ProviderFailure(OTHER_ACCOUNT);
      this.outcomes.verified.inc();
      return lookedAt(verified, row.listed);
    } catch (error) {
      const sighting = failedSighting(error, connector.entry?.tools === 'discovered');
      if (!sighting) throw error;
      this.outcomes.failed.inc();
      const { scope, code } = sighting;
      return {
        observations: [{ scope, status: 'failed', code, failures: 1 }],
        hasOtherTools: false,
        sighting,
        isPassed: false,
      };
    }
  }
}

/** What a check replaces: what it saw of a part, and of the others nothing. */
function healthBehind(health: Health | null, generation: string, { observations }: Looked, now: string): Health {
  const sightings = observations.flatMap(({ scope, status, code }): readonly Sighting[] =>
    status === 'unknown' ? [] : [{ scope, ...(code ? { code } : {}) }],
  );
  return checked(health, generation, sightings, now);
}

function lookedAt({ observations, inventory }: Verified, listed: readonly ConnectorTool[] | null): Looked {
  const tools = inventory ? [{ scope: 'tools', status: 'verified' as const }] : [];
  return {
    observations: observations.length > 0 ? observations : [{ scope: 'credential', status: 'verified' }, ...tools],
    hasOtherTools: inventory !== undefined && isOther(inventory, listed ?? []),
    sighting: inventory ? { mcp: inventory.mcp } : {},
    isPassed: observations.every(({ status }) => status !== 'failed'),
  };
}

function isOther({ tools }: Inventory, listed: readonly ConnectorTool[]): boolean {
  const hashes = new Map(listed.map(({ name, definitionHash }) => [name, definitionHash]));
  return (
    tools.length !== listed.length || tools.some(({ name, definitionHash }) => hashes.get(name) !== definitionHash)
  );
}
