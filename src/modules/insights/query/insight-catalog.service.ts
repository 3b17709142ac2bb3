import { Injectable } from '@nestjs/common';
import { metricNamed } from '../definitions/index.ts';
import type { DefinitionRow } from '../definition-versions.queries.ts';
import type { Asker } from './askers.service.ts';
import type { InsightCatalogDto, MetricDefinitionDto, MetricSourceDto } from './insight-catalog.dto.ts';
import { type StandingSource, StandingService } from './standing.service.ts';

/** Lists what can be asked for: the current definitions, and all sources there ever were. */
@Injectable()
export class InsightCatalogService {
  constructor(private readonly standings: StandingService) {}

  async list(asker: Asker): Promise<InsightCatalogDto> {
    const { state, definitions, sources } = await this.standings.of(asker);
    return {
      publicationRevision: state.publicationRevision,
      definitionsRevision: state.definitionsRevision,
      definitions: definitions.filter(({ current }) => current).map((row) => toDefinition(row, sources)),
      sources: sources.map(toSource),
    };
  }
}

function toDefinition(
  { key, version, hash, body, recalculation }: DefinitionRow,
  sources: readonly StandingSource[],
): MetricDefinitionDto {
  const known = metricNamed(key);
  return {
    key,
    version,
    name: known?.name ?? key,
    description: known?.description ?? key,
    unit: body.unit,
    currency: body.currency,
    measurementKind: body.measurementKind,
    sourceTimezone: body.sourceTimezone,
    reportingTimezone: body.reportingTimezone,
    ownership: 'builtin',
    hash,
    calculation: {
      kind: 'formula',
      expression: { nodes: [...body.calculation.expression.nodes], root: body.calculation.expression.root },
      nonOverlappingScopes: body.calculation.nonOverlappingScopes,
    },
    dimensions: [...body.dimensions],
    grains: [...body.grains],
    sourceIds: sources.filter(({ dataset }) => dataset === body.dataset).map(({ id }) => id),
    recalculation: { ...recalculation },
  };
}

function toSource(source: StandingSource): MetricSourceDto {
  const { id, provider, accountId, resourceId, dataset, environment, name, preferred, connected } = source;
  const { connectorKey, coverage, lastCollectedAt } = source;
  return {
    id,
    identity: { provider, accountId, resourceId, dataset, environment },
    resourceName: name,
    preferred,
    connectorKeys: [connectorKey],
    connected,
    coverage: coverage as MetricSourceDto['coverage'],
    lastCollectedAt,
  };
}
