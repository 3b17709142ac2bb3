import {
  Flag,
  Integer,
  ListOf,
  Nested,
  NestedList,
  OneOf,
  OpenObject,
  Sha256,
  Text,
  TextList,
  TextLists,
  Timestamp,
  Uuid,
} from '../../../kernel/validation/index.ts';
import { OrganizationParams } from '../../organizations/index.ts';
import { CONVERSION_POLICY, DIMENSIONS, type Grain, GRAINS, type Unit, UNITS } from '../definitions/index.ts';
import { CoverageDto } from '../query/coverage.dto.ts';

const SOURCE = '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a21';
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export class ReceiptParams extends OrganizationParams {
  @Uuid({ description: 'The receipt of an answer' })
  receiptId!: string;
}

export class AnsweredSelectionDto {
  @Text({ example: 'payments.net_revenue' })
  key!: string;
  @Integer({ min: 1, example: 1 })
  version!: number;
  @TextList({ example: [SOURCE] })
  sourceIds!: string[];
}

/** What was asked, with what it left out. */
export class AnsweredQueryDto {
  @NestedList(() => AnsweredSelectionDto)
  metrics!: AnsweredSelectionDto[];
  @Text({ example: '2026-03-01' })
  from!: string;
  @Text({ example: '2026-04-01' })
  to!: string;
  @OneOf(GRAINS, { example: 'month' })
  grain!: Grain;
  @ListOf(DIMENSIONS, { example: [] })
  groupBy!: string[];
  @TextLists({ maxKeys: 1, max: 50, maxLength: 500, example: {} })
  filters!: Record<string, string[]>;
  @Text({ nullable: true, example: 'EUR', description: 'Null while the organization has none' })
  currency!: string | null;
}

export class AnsweredMetricDto {
  @Text({ example: 'payments.net_revenue' })
  key!: string;
  @Integer({ min: 1, example: 1 })
  version!: number;
  @Sha256({ example: HASH })
  hash!: string;
}

export class UsedRateDto {
  @Text({ example: '1.1367', description: 'Units of the currency for one euro' })
  rate!: string;
  @Text({ example: '2026-03-31', description: 'The day of its publication' })
  date!: string;
  @OneOf(['ecb'], { example: 'ecb' })
  provider!: 'ecb';
  @Text({ example: 'USD', description: 'The currency that it is the rate of' })
  originalCurrency!: string;
}

export class ConversionDto {
  @OneOf([CONVERSION_POLICY], {
    example: CONVERSION_POLICY,
    description: 'By the reference rates of the last day of the period that has both; for orientation',
  })
  policy!: typeof CONVERSION_POLICY;
  @Text({ nullable: true, example: '1187.65', description: 'Null where there is no value, or no rate' })
  value!: string | null;
  @Text({ example: 'EUR' })
  currency!: string;
  @NestedList(() => UsedRateDto)
  rates!: UsedRateDto[];
  @Nested(() => CoverageDto)
  coverage!: CoverageDto;
}

export class PointDto {
  @Timestamp({ example: '2026-02-28T23:00:00Z' })
  from!: string;
  @Timestamp({ example: '2026-03-31T22:00:00Z' })
  to!: string;
  @Text({ nullable: true, example: '1350', description: 'An exact decimal; null where it is not known' })
  value!: string | null;
  @Text({ nullable: true, example: null, description: 'Of ratios' })
  numerator!: string | null;
  @Text({ nullable: true, example: null, description: 'Of ratios' })
  denominator!: string | null;
  @Nested(() => CoverageDto)
  coverage!: CoverageDto;
  @Timestamp({ nullable: true, example: '2026-04-02T06:00:00.000000Z', description: 'When the oldest part was read' })
  collectedAt!: string | null;
  @Nested(() => ConversionDto, { nullable: true, description: 'Null of what is no money' })
  conversion!: ConversionDto | null;
}

export class SeriesDto {
  @Nested(() => AnsweredMetricDto)
  metric!: AnsweredMetricDto;
  @TextList({ example: [SOURCE] })
  sourceIds!: string[];
  @TextList({ example: ['4711'] })
  resourceIds!: string[];
  @OneOf(UNITS, { example: 'currency' })
  unit!: Unit;
  @Text({ example: 'Europe/Berlin', description: 'Whose days its points are made of' })
  timezone!: string;
  @Text({ nullable: true, example: 'USD', description: 'The original one; amounts of several are never added' })
  currency!: string | null;
  @OpenObject({ example: {}, description: 'The value of the dimension by which it was split' })
  dimensions!: Record<string, string>;
  @NestedList(() => PointDto, { max: 10_000 })
  points!: PointDto[];
}

export class InsightReceiptDto {
  @Uuid({ description: 'Cite it: the answer can be read again by it, as it is now' })
  receiptId!: string;
  @Flag({ example: false, description: 'Whether a definition was only tried' })
  definitionPreview!: boolean;
  @Integer({ example: 42, description: 'What was published up to it, and nothing else, is in the answer' })
  publicationRevision!: number;
  @Timestamp({ example: '2026-04-02T09:30:00.000000Z' })
  generatedAt!: string;
  @Sha256({
    example: HASH,
    description: 'SHA-256 of the bytes of `data` (RFC 8785) without this property',
  })
  digest!: string;
  @Nested(() => AnsweredQueryDto)
  request!: AnsweredQueryDto;
  @NestedList(() => SeriesDto, { max: 100 })
  series!: SeriesDto[];
}
