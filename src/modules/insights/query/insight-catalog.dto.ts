import {
  Flag,
  Integer,
  ListOf,
  Nested,
  NestedList,
  OneOf,
  OpenList,
  Sha256,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from '../../../kernel/validation/index.ts';
import {
  DIMENSIONS,
  type Grain,
  GRAINS,
  MEASUREMENT_KINDS,
  type MeasurementKind,
  RECALCULATION_REASONS,
  RECALCULATION_STATUSES,
  type RecalculationReason,
  type RecalculationStatus,
  SOURCE_TIMEZONES,
  type SourceTimezone,
  type Unit,
  UNITS,
} from '../definitions/index.ts';
import { CoverageDto } from './coverage.dto.ts';

const SOURCE = '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a21';
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export class FormulaDto {
  @OpenList({
    example: [{ kind: 'measure', measure: 'orders.count' }],
    description:
      'Steps of the kinds `constant`, `measure`, `add`, `subtract`, `multiply`, `divide` and `sum`; each names only steps before it, by their places',
  })
  nodes!: object[];
  @Integer({ example: 0, description: 'The place of the step that is the value' })
  root!: number;
}

export class CalculationDto {
  @OneOf(['formula'], { example: 'formula' })
  kind!: 'formula';
  @Nested(() => FormulaDto)
  expression!: FormulaDto;
  @Flag({ example: true, description: 'Whether sources that are added up count nothing twice' })
  nonOverlappingScopes!: boolean;
}

export class RecalculationDto {
  @OneOf(RECALCULATION_STATUSES, {
    example: 'current',
    description: '`pending`, then `running`, while history is read again',
  })
  status!: RecalculationStatus;
  @OneOf(RECALCULATION_REASONS, { nullable: true, example: null })
  reason!: RecalculationReason | null;
}

export class MetricDefinitionDto {
  @Text({ example: 'payments.orders' })
  key!: string;
  @Integer({ min: 1, example: 1, description: 'Rises when something changes that decides a value' })
  version!: number;
  @Text({ example: 'Orders' })
  name!: string;
  @Text({ example: 'Orders that were paid, by the day on which they were placed; refunded ones stay counted.' })
  description!: string;
  @OneOf(UNITS, { example: 'count' })
  unit!: Unit;
  @Flag({ example: false, description: 'Whether it is money, in a series for each currency' })
  currency!: boolean;
  @OneOf(MEASUREMENT_KINDS, {
    example: 'flow',
    description:
      'How days make a period: a `flow` adds up, of a `gauge` the last counts, `distinct` ones are counted by the provider for each period, a `ratio` divides sums',
  })
  measurementKind!: MeasurementKind;
  @OneOf(SOURCE_TIMEZONES, { example: 'organization', description: 'Whose days count' })
  sourceTimezone!: SourceTimezone;
  @Text({ nullable: true, example: 'Europe/Berlin', description: 'Null where each series says its own' })
  reportingTimezone!: string | null;
  @OneOf(['builtin'], { example: 'builtin' })
  ownership!: 'builtin';
  @Sha256({ example: HASH, description: 'SHA-256 of the canonical JSON of all that decides a value' })
  hash!: string;
  @Nested(() => CalculationDto)
  calculation!: CalculationDto;
  @ListOf(DIMENSIONS, { example: [] })
  dimensions!: string[];
  @ListOf(GRAINS, { example: ['day', 'week', 'month'] })
  grains!: Grain[];
  @TextList({ example: [SOURCE], description: 'What feeds it' })
  sourceIds!: string[];
  @Nested(() => RecalculationDto)
  recalculation!: RecalculationDto;
}

export class SourceIdentityDto {
  @Text({ example: 'payments-provider' })
  provider!: string;
  @Text({ example: '4711' })
  accountId!: string;
  @Text({ example: '4711' })
  resourceId!: string;
  @Text({ example: 'payments' })
  dataset!: string;
  @Text({ example: 'live' })
  environment!: string;
}

export class MetricSourceDto {
  @Uuid({ example: SOURCE, description: 'Stays when the connector is replaced by another of the same account' })
  id!: string;
  @Nested(() => SourceIdentityDto)
  identity!: SourceIdentityDto;
  @Text({ min: 0, example: 'Main store' })
  resourceName!: string;
  @Flag({ example: true, description: 'Taken where a query names none; no boundary of rights' })
  preferred!: boolean;
  @TextList({ example: ['payments-provider'] })
  connectorKeys!: string[];
  @Flag({ example: true, description: 'Whether it may be asked about now' })
  connected!: boolean;
  @Nested(() => CoverageDto)
  coverage!: CoverageDto;
  @Timestamp({ nullable: true, example: '2026-04-01T06:00:00.000000Z' })
  lastCollectedAt!: string | null;
}

export class InsightCatalogDto {
  @Integer({ example: 42, description: 'Rises with each collection that is published' })
  publicationRevision!: number;
  @Integer({ example: 1, description: 'Rises when definitions change' })
  definitionsRevision!: number;
  @NestedList(() => MetricDefinitionDto)
  definitions!: MetricDefinitionDto[];
  @NestedList(() => MetricSourceDto)
  sources!: MetricSourceDto[];
}

export class InsightRefreshDto {
  @OneOf(['queued'], { example: 'queued' })
  status!: 'queued';
  @Integer({ example: 1, description: 'Sources that are due from now on' })
  queued!: number;
  @Integer({
    example: 2,
    description:
      'Sources that are being collected, were so within 15 minutes, are due already, wait for a provider, or are paused',
  })
  unchanged!: number;
  @TextList({ example: ['payments-provider', 'web-analytics'], description: 'Of all of them' })
  connectorKeys!: string[];
}
