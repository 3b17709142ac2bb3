import { Injectable } from '@nestjs/common';
import type { Statement, Tx } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { Outbox } from '../../../kernel/outbox/index.ts';
import {
  ConnectorChanged,
  type ConnectorFollower,
  connectors,
  type FollowedConnector,
  ReadinessService,
} from '../../integrations/index.ts';
import { datasetOfConnector } from '../definitions/index.ts';
import { ensureState, lockState } from '../insight-state.queries.ts';
import { identitiesOf, isSame } from './source-authority.ts';
import { followed } from './source-facts.ts';
import { insertSource, lockSources, shareConnector, updateSource } from './sources.queries.ts';

/** The kind of the outbox events behind which the sources of a connector are looked at again. */
const SOURCES_KIND = 'insights.sources';

interface SourcesEvent {
  readonly integrationId: string;
}

/** Keeps the sources of figures behind what connectors were verified for. */
@Injectable()
export class FollowedConnectors implements ConnectorFollower {
  constructor(
    private readonly outbox: Outbox,
    private readonly readiness: ReadinessService,
    changed: ConnectorChanged,
  ) {
    changed.register(this);
    outbox.handle(SOURCES_KIND, (tx, { payload }) => this.follow(tx, (payload as SourcesEvent).integrationId));
  }

  recordedWith({ organizationId, id, kind }: FollowedConnector): readonly Statement[] {
    if (!datasetOfConnector(kind)) return [];
    const event: SourcesEvent = { integrationId: id };
    return [this.outbox.event(organizationId, SOURCES_KIND, event)];
  }

  /**
   * Finds the sources of a connector by their identities, so that the same account under a new key is the same source. Those
   * that it does not name any more stay, and are not collected.
   */
  private async follow(tx: Tx, integrationId: string): Promise<void> {
    const { organizationId } = tx;
    const [[held], , [state], [row]] = await tx.batch([
      shareConnector(organizationId, integrationId),
      ensureState(organizationId),
      lockState(organizationId),
      connectors(organizationId, { id: integrationId }),
    ]);
    if (!held || !state || !row) return;
    const { now } = state;
    const connector = this.readiness.of(row);
    const identities = identitiesOf(connector);
    const known = await tx.rows(lockSources(organizationId, integrationId, identities));
    const resources = row.verifiedResources ?? [];
    const statements = identities.map((identity, at) => {
      const was = known.find((each) => isSame(each, identity));
      const columns = followed(connector, identity, resources[at], was, now);
      return was
        ? updateSource(organizationId, was.id, columns)
        : insertSource({ ...identity, ...columns, id: newId() }, organizationId, now);
    });
    const gone = known.filter(
      (source) => source.integrationId === integrationId && !identities.some((identity) => isSame(identity, source)),
    );
    const all = [
      ...statements,
      ...gone.map((source) => updateSource(organizationId, source.id, { ...source, dueAt: null })),
    ];
    if (all.length > 0) await tx.batch(all);
  }
}
