import { Injectable } from '@nestjs/common';
import { Reads, type Statement } from '../../../kernel/database/index.ts';
import { connectors, type ConnectorRow, ReadinessService } from '../../integrations/index.ts';
import {
  type DefinitionRow,
  definitionsOf,
  insightState,
  type InsightStateRow,
} from '../definition-versions.queries.ts';
import { areCurrent, DefinitionVersionsService } from '../definition-versions.service.ts';
import { sourceAuthority } from '../sources/source-authority.ts';
import { type SourceRow, sourcesOf } from '../sources/sources.queries.ts';
import type { Asker } from './askers.service.ts';
import { organizationFacts, type OrganizationFacts } from './standing.queries.ts';

/** A source, and whether the organization stands by it now. */
export interface StandingSource extends SourceRow {
  readonly connected: boolean;
}

/** All of an organization that decides what may be asked, at one moment. */
export interface InsightStanding extends OrganizationFacts {
  readonly state: InsightStateRow;
  readonly definitions: readonly DefinitionRow[];
  readonly sources: readonly StandingSource[];
}

/** Reads how things stand, in one round trip; brings definitions up to date where they are not. */
@Injectable()
export class StandingService {
  constructor(
    private readonly reads: Reads,
    private readonly versions: DefinitionVersionsService,
    private readonly readiness: ReadinessService,
  ) {}

  async of(asker: Asker): Promise<InsightStanding> {
    const first = await this.read(asker, asker.access, asker.profile);
    if (areCurrent(first.state, first.facts.timezone)) return this.judged(first);
    await this.versions.synchronize(asker.organizationId, first.facts.timezone);
    return this.judged(await this.read(asker, asker.againAccess, []));
  }

  private read(asker: Asker, access: Asker['access'], profile: Asker['profile']) {
    const { organizationId, admit } = asker;
    return this.reads.listThrough(access, {
      statements: () =>
        [
          organizationFacts(organizationId),
          insightState(organizationId),
          definitionsOf(organizationId),
          sourcesOf(organizationId),
          connectors(organizationId, 'connected'),
          ...profile,
        ] as readonly Statement[],
      result: (sets) => {
        if (profile.length > 0) admit(sets[5] as { status: string }[]);
        return {
          facts: (sets[0] as OrganizationFacts[])[0]!,
          state: (sets[1] as InsightStateRow[])[0],
          definitions: sets[2] as DefinitionRow[],
          sources: sets[3] as SourceRow[],
          connectors: sets[4] as ConnectorRow[],
        };
      },
    });
  }

  private judged(read: Awaited<ReturnType<StandingService['read']>>): InsightStanding {
    const { facts, state, definitions, sources } = read;
    const standing = new Map(read.connectors.map((row) => [row.id, this.readiness.of(row)]));
    return {
      ...facts,
      state: state!,
      definitions,
      sources: sources.map((source) =>
        Object.assign(source, { connected: sourceAuthority(standing.get(source.integrationId), source) }),
      ),
    };
  }
}
