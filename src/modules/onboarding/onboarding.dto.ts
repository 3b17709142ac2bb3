import {
  FileName,
  Flag,
  Integer,
  ListOf,
  Name,
  Nested,
  NestedList,
  OneOf,
  Sha256,
  Slug,
  Text,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import { type Department, DEPARTMENTS, OrganizationDto, OrganizationParams } from '../organizations/index.ts';
import {
  ONBOARDING_ERROR_CODES,
  ONBOARDING_STATES,
  type OnboardingErrorCode,
  type OnboardingState,
  REVIEW_WARNING_CODES,
  type ReviewWarningCode,
  SOURCE_KINDS,
  type SourceKind,
} from './onboarding.state.ts';

const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const SOURCE_ID = '4b2f7d0c-5f7e-4a7e-b1d4-6f0e8c9a1b2c';

export class SourceParams extends OrganizationParams {
  @Uuid({ example: SOURCE_ID })
  sourceId!: string;
}

export class StoreSourceQuery {
  @OneOf(SOURCE_KINDS, { example: 'file', description: '`note` for what you wrote for this; both are read alike' })
  kind!: SourceKind;
  @FileName({ example: 'price-list.pdf' })
  fileName!: string;
  @Text({
    max: 255,
    example: 'application/pdf',
    description:
      'Media type of the source; aliases of supported types are accepted, and parameters such as `charset` are dropped. The review reads the bytes as what they are',
  })
  mediaType!: string;
  @OneOf(DEPARTMENTS, {
    optional: true,
    example: 'growth',
    description: 'Only for this department; left out, for the whole organization',
  })
  department?: Department;
}

export class SourceDto {
  @Uuid({ example: SOURCE_ID })
  sourceId!: string;
  @OneOf(SOURCE_KINDS, { example: 'file' })
  kind!: SourceKind;
  @Text({ example: 'price-list.pdf' })
  fileName!: string;
  @Text({ example: 'application/pdf' })
  mediaType!: string;
  @Integer({ example: 48_213 })
  sizeBytes!: number;
  @Text({ example: SHA256 })
  sha256!: string;
  @OneOf(DEPARTMENTS, { nullable: true, example: null, description: 'Null for the whole organization' })
  department!: Department | null;
  @Timestamp()
  createdAt!: string;
}

export class ReviewFactsDto {
  @Name({ example: 'Acme' })
  name!: string;
  @Slug({ example: 'acme' })
  slug!: string;
  @Text({ example: 'Europe/Berlin' })
  timezone!: string;
  @ListOf(DEPARTMENTS, { example: ['growth', 'support'] })
  departments!: Department[];
  @Text({ nullable: true, example: 'https://acme.example' })
  website!: string | null;
  @Text({ nullable: true, example: 'EUR' })
  defaultCurrency!: string | null;
}

export class ReviewedSourceDto {
  @Uuid({ example: SOURCE_ID })
  sourceId!: string;
  @Text({ example: SHA256 })
  sha256!: string;
  @Integer({ example: 48_213 })
  sizeBytes!: number;
  @OneOf(SOURCE_KINDS, { example: 'file' })
  kind!: SourceKind;
  @Text({ example: 'price-list.pdf' })
  fileName!: string;
  @Text({ example: 'application/pdf' })
  mediaType!: string;
  @Text({ nullable: true, example: 'application/pdf', description: 'What the bytes are; null where nothing says it' })
  foundMediaType!: string | null;
  @OneOf(DEPARTMENTS, { nullable: true, example: null })
  department!: Department | null;
  @Integer({ example: 5_310, description: 'Code points of the text that was found' })
  characters!: number;
  @Integer({ nullable: true, example: 3 })
  pages!: number | null;
  @Flag({ example: false, description: 'Whether there was more text than is kept' })
  truncated!: boolean;
}

export class ReviewWarningDto {
  @OneOf(REVIEW_WARNING_CODES, { example: 'no_text' })
  code!: ReviewWarningCode;
  @Uuid({ nullable: true, example: SOURCE_ID, description: 'The source that it is about, if it is about one' })
  sourceId!: string | null;
  @OneOf(DEPARTMENTS, { nullable: true, example: null })
  department!: Department | null;
  @Text({ example: '“scan.pdf” has no text that can be read: store it with a text layer.' })
  message!: string;
}

export class ReviewDto {
  @Integer({ example: 1 })
  version!: number;
  @Text({ example: '1', description: 'Of what read the sources' })
  extractorVersion!: string;
  @Uuid()
  organizationId!: string;
  @Nested(() => ReviewFactsDto)
  facts!: ReviewFactsDto;
  @NestedList(() => ReviewedSourceDto)
  sources!: ReviewedSourceDto[];
  @NestedList(() => ReviewWarningDto)
  warnings!: ReviewWarningDto[];
  @Text({ example: '1 of 2 sources can be read, with 5310 characters of text; 1 warning.' })
  summary!: string;
  @Text({
    example: SHA256,
    description: 'SHA-256 of the canonical JSON (RFC 8785) of all other fields: the same material has the same one',
  })
  sha256!: string;
}

export class OnboardingErrorDto {
  @OneOf(ONBOARDING_ERROR_CODES, { example: 'bytes_damaged' })
  code!: OnboardingErrorCode;
  @Text({ example: 'The stored bytes of “price-list.pdf” are damaged: store the source again.' })
  message!: string;
  @Uuid({ nullable: true, example: SOURCE_ID })
  sourceId!: string | null;
}

export class OnboardingDto {
  @Uuid()
  organizationId!: string;
  @OneOf(ONBOARDING_STATES, { example: 'review_ready', description: '`discarded` only in the answer to the discard' })
  state!: OnboardingState;
  @ListOf(DEPARTMENTS, {
    example: ['growth', 'support'],
    description: 'Those that begin; PATCH the organization to change them',
  })
  departments!: Department[];
  @NestedList(() => SourceDto, { description: 'In the order in which they were stored' })
  sources!: SourceDto[];
  @Nested(() => ReviewDto, { nullable: true, description: 'Of exactly these sources' })
  review!: ReviewDto | null;
  @Nested(() => OnboardingErrorDto, { nullable: true, description: 'Why the review failed' })
  error!: OnboardingErrorDto | null;
  @Timestamp({ nullable: true, description: 'When the review was last asked for' })
  startedAt!: string | null;
  @Timestamp({ nullable: true, example: null })
  completedAt!: string | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

export class CompleteOnboardingDto {
  @Sha256({ example: SHA256, description: '`sha256` of the review that you read' })
  reviewSha256!: string;
  @Flag({ optional: true, example: false, description: 'Whether to go on although the review has warnings' })
  allowWarnings?: boolean;
}

export class CompletedOnboardingDto extends OnboardingDto {
  @Nested(() => OrganizationDto)
  organization!: OrganizationDto;
}
