import {
  Flag,
  Integer,
  Nested,
  NestedList,
  OneOf,
  Text,
  TextList,
  Timestamp,
} from '../../../kernel/validation/index.ts';
import { COVERAGE_STATUSES, type CoverageStatus, POINT_REASONS, type PointReason } from '../definitions/index.ts';

export class AttributionDto {
  @Text({ nullable: true, example: 'data_driven' })
  model!: string | null;
  @TextList({ example: [] })
  windows!: string[];
  @Text({ nullable: true, example: null })
  reportTime!: string | null;
  @Text({ nullable: true, example: null })
  conversionEvent!: string | null;
}

export class SamplingDto {
  @Text({ example: '500000', description: 'Events that were read' })
  read!: string;
  @Text({ example: '2000000', description: 'Events that there were' })
  population!: string;
}

export class DayRangeDto {
  @Text({ example: '2026-03-01' })
  from!: string;
  @Text({ example: '2026-03-08' })
  to!: string;
}

export class TruncationDto {
  @Text({ example: 'events' })
  type!: string;
  @Text({ nullable: true, example: null })
  before!: string | null;
  @NestedList(() => DayRangeDto)
  ranges!: DayRangeDto[];
}

/** What the provider says of how it counted; what it does not say is left out. */
export class ReportingDto {
  @Text({ optional: true, example: 'Europe/Berlin' })
  timezone?: string;
  @Text({ optional: true, example: 'Europe/Berlin' })
  accountTimezone?: string;
  @Integer({ optional: true, example: 48, description: 'Hours for which figures still move' })
  lagHours?: number;
  @Timestamp({ optional: true, example: '2026-04-01T06:00:00.000Z' })
  computedAt?: string;
  @Flag({ optional: true, example: false })
  cached?: boolean;
  @Nested(() => AttributionDto, { optional: true })
  attribution?: AttributionDto;
  @Flag({ optional: true, example: true })
  approximateDistinct?: boolean;
  @Flag({ optional: true, example: false, description: 'Whether small numbers may be held back' })
  thresholded?: boolean;
  @Flag({ optional: true, example: false })
  dataLossFromOtherRow?: boolean;
  @NestedList(() => SamplingDto, { optional: true })
  sampling?: SamplingDto[];
  @Integer({ optional: true, example: 14 })
  eventRetentionMonths?: number;
  @Integer({ optional: true, example: 14 })
  userRetentionMonths?: number;
  @NestedList(() => TruncationDto, { optional: true })
  truncation?: TruncationDto[];
}

export class CoverageDto {
  @OneOf(COVERAGE_STATUSES, { example: 'complete' })
  status!: CoverageStatus;
  @OneOf(POINT_REASONS, { nullable: true, example: null, description: 'Why it is not whole; the first that holds' })
  reason!: PointReason | null;
  @Text({ nullable: true, example: '2026-03-01', description: 'The first day that has data' })
  from!: string | null;
  @Text({ nullable: true, example: '2026-04-01', description: 'The day behind the last that has data' })
  to!: string | null;
  @Flag({ example: false, description: 'Whether figures may still change in the ordinary course' })
  provisional!: boolean;
  @Nested(() => ReportingDto, { nullable: true, example: null })
  reporting!: ReportingDto | null;
}
