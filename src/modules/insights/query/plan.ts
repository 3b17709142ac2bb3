import { ApiError, EdgeIssues, invalid, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import type { DefinitionRow } from '../definition-versions.queries.ts';
import {
  countPeriods,
  type Cut,
  type Dataset,
  datasetOf,
  dayOf,
  type DefinedMeasure,
  type Dimension,
  latestEnd,
  type Measure,
  measureNamed,
  type QueryWindow,
} from '../definitions/index.ts';
import { IntegrationIssues } from '../../integrations/index.ts';
import { InsightErrors, InsightIssues } from '../insight.errors.ts';
import type { InsightQueryDto, MetricSelectionDto } from './insight-query.dto.ts';
import type { InsightStanding, StandingSource } from './standing.service.ts';

/** A metric of a query with the sources that it is asked of. */
export interface PlannedSelection {
  readonly definition: DefinitionRow;
  readonly sources: readonly StandingSource[];
  readonly measures: readonly PlannedMeasure[];
  /** By what its series are split. */
  readonly splitBy: Dimension | null;
  /** Values of a dimension that alone count; null where all do. */
  readonly only: readonly string[] | null;
  /** Whether those values are added up to one series. */
  readonly isSummed: boolean;
}

/** A measure of the formula, as it is stored for this split. */
export interface PlannedMeasure {
  /** What the formula calls it. */
  readonly name: string;
  readonly version: number;
  readonly stored: Measure;
}

/** The days of a query; refused where they are none, or more than twelve months. */
export function windowOf({ from, to }: Pick<InsightQueryDto, 'from' | 'to'>): QueryWindow {
  const window = { from: dayOf(from, 'from')!, to: dayOf(to, 'to')! };
  if (window.to <= window.from) throw invalid('query.to', InsightIssues.invalidWindow, 'must lie after from');
  if (window.to > latestEnd(window.from))
    throw invalid('query.to', IntegrationIssues.limitExceeded, 'must be at most twelve calendar months after from');
  return window;
}

/** The dimension that a query names, and the values of it that count. */
export function splitOf({ groupBy, filters }: Pick<InsightQueryDto, 'groupBy' | 'filters'>) {
  const [filter] = Object.entries(filters);
  const [dimension] = groupBy;
  if (filter && dimension !== undefined && filter[0] !== dimension)
    throw invalid(
      `query.filters.${filter[0]}`,
      InsightIssues.unsupportedDimension,
      'must be the dimension that groupBy names',
    );
  return { dimension: dimension ?? filter?.[0] ?? null, isGrouped: dimension !== undefined, only: filter?.[1] ?? null };
}

/** Holds a query against the definitions and sources of the organization: 400 for what is wrong, 409 for what has changed. */
export function planOf(query: InsightQueryDto, standing: InsightStanding): readonly PlannedSelection[] {
  const split = splitOf(query);
  const chosen = query.metrics.map((selection, index) => ({
    path: `query.metrics.${index}`,
    selection,
    definition: definitionOf(selection, `query.metrics.${index}`, standing),
  }));
  for (const { definition } of chosen) {
    const { body, key } = definition;
    if (!body.grains.includes(query.grain))
      throw invalid('query.grain', InsightIssues.unsupportedGrain, `is no grain of ${key}`);
    if (split.dimension !== null && !body.dimensions.includes(split.dimension as Dimension)) {
      const path = split.isGrouped ? 'query.groupBy' : `query.filters.${split.dimension}`;
      throw invalid(path, InsightIssues.unsupportedDimension, `"${split.dimension}" is no dimension of ${key}`);
    }
  }
  const withSources = chosen.map(({ path, selection, definition }) => {
    return { path, definition, sources: sourcesFor(selection, definition, path, standing) };
  });
  const withdrawn = withSources.flatMap(({ path, sources }) =>
    sources.flatMap(({ connected }, index) =>
      connected ? [] : [issueAt(`${path}.sourceIds.${index}`, InsightIssues.sourceUnavailable)],
    ),
  );
  if (withdrawn.length > 0) throw refused(withdrawn);
  return withSources.map(({ definition, sources }) => selectionOf(definition, sources, split));
}

function definitionOf(
  { key, version }: MetricSelectionDto,
  path: string,
  { definitions }: InsightStanding,
): DefinitionRow {
  const versions = definitions.filter((each) => each.key === key);
  if (versions.length === 0)
    throw invalid(`${path}.key`, EdgeIssues.unknownReference, 'names no metric: list them to see which there are');
  const found = versions.find((each) => (version === undefined ? each.current : each.version === version));
  if (!found) throw refused([issueAt(`${path}.version`, InsightIssues.definitionVersion)]);
  return found;
}

function sourcesFor(
  { sourceIds }: MetricSelectionDto,
  { body }: DefinitionRow,
  path: string,
  { sources }: InsightStanding,
): readonly StandingSource[] {
  if (sourceIds === undefined)
    return sources.filter(({ dataset, preferred, connected }) => dataset === body.dataset && preferred && connected);
  return sourceIds.map((id, index) => {
    const named = sources.find((source) => source.id === id.toLowerCase());
    const at = `${path}.sourceIds.${index}`;
    if (!named) throw invalid(at, EdgeIssues.unknownReference, 'names no source of this organization');
    if (named.dataset !== body.dataset) throw invalid(at, InsightIssues.sourceMismatch);
    return named;
  });
}

function selectionOf(
  definition: DefinitionRow,
  sources: readonly StandingSource[],
  split: ReturnType<typeof splitOf>,
): PlannedSelection {
  const { dataset, measures } = definition.body;
  const only = split.only;
  // What has no total is always split, and so is a filter over what does not add up.
  const forced = measures.map(({ measure }) => measureNamed(dataset, measure)?.cut).find((cut) => cut) ?? null;
  const dimension = (split.dimension as Dimension | null) ?? forced?.dimension ?? null;
  const cut = dimension === null ? null : cutOf(dataset, measures[0]!, dimension);
  const isSummed = only !== null && !split.isGrouped && cut!.addsUp;
  return {
    definition,
    sources,
    measures: measures.map(({ measure, version }) => ({
      name: measure,
      version,
      stored: storedAs(dataset, measure, dimension),
    })),
    splitBy: isSummed ? null : dimension,
    only,
    isSummed,
  };
}

function cutOf(dataset: Dataset, { measure }: DefinedMeasure, dimension: Dimension): Cut {
  return storedAs(dataset, measure, dimension).cut!;
}

/** The measure that series are stored under: its total, or its cut by a dimension. */
function storedAs(dataset: Dataset, name: string, dimension: Dimension | null): Measure {
  const { measures } = datasetOf(dataset);
  const wanted = (each: Measure) => (each.cut?.dimension ?? null) === dimension;
  return measures.find((each) => each.of === name && wanted(each)) ?? measureNamed(dataset, name)!;
}

function refused(issues: readonly Issue[]): ApiError {
  return new ApiError(InsightErrors.conflict, { issues });
}

const MOST_SERIES = 100;
const MOST_POINTS = 10_000;

/** Refuses what holds more than an answer may, before anything of it is read. */
export function requireBounds(series: number, query: InsightQueryDto, window: QueryWindow): void {
  if (series > MOST_SERIES) throw tooLarge('query.metrics', `would have ${series} series, and may have ${MOST_SERIES}`);
  const points = series * countPeriods(query.grain, window);
  if (points > MOST_POINTS) throw tooLarge('query', `would have ${points} points, and may have ${MOST_POINTS}`);
}

export function tooLarge(path: string, message: string): ApiError {
  return invalid(path, IntegrationIssues.limitExceeded, message);
}
