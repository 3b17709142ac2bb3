import { CutText, Flag, Integer, isSlug, isUuid, Text, TextList, Uuid } from '../validation/index.ts';

/** What every call under a lease carries. */
export class LeaseDto {
  @Uuid()
  organizationId!: string;
  // Any other text is no token that was given out, so it is answered as a lapsed one.
  @Text({ min: 0, example: 'Zr1cW0dV3o0m9k5Gq2h7yJxT8uE4aS6nLbPfIvKtMwQ', description: 'From the claim' })
  leaseToken!: string;
}

/** What an attempt has used up, as its worker counts. */
export class UsageDto {
  @Integer({ example: 12_000 })
  inputTokens!: number;
  @Integer({ example: 1_800 })
  outputTokens!: number;
  @Integer({ example: 14 })
  toolCalls!: number;
  @Integer({ example: 9, description: 'In the smallest unit of the organization’s currency' })
  costMinorUnits!: number;
}

/** Why an attempt failed, as its worker says. */
export class FailureDto {
  @CutText({ max: 100, example: 'tests_failed', description: 'Best a snake_case word' })
  code!: string;
  @CutText({ max: 4_000, example: 'Three of the tests fail after the change.' })
  message!: string;
  @Flag({ example: true })
  retryable!: boolean;
}

/** How many items one claim takes at most. */
export const MAX_CLAIMS = 50;

/** How a worker asks for work. */
export class PullDto {
  @Text({ max: 200, example: 'runtime-7', description: 'Stays the same when the worker starts again' })
  workerId!: string;
  @Uuid({ description: 'New at each start of the worker' })
  bootId!: string;
  @Text({
    max: 200,
    optional: true,
    example: 'claim-4711',
    description:
      'A repeat while the claims hold answers the same items, with new lease tokens: the latest answer counts',
  })
  requestKey?: string;
  @TextList({
    optional: true,
    items: { schema: { type: 'string', format: 'uuid' }, what: 'a UUID', test: isUuid },
    description: 'All when left out',
  })
  organizationIds?: string[];
  @Integer({ min: 1, max: MAX_CLAIMS, optional: true, default: 1, example: 1 })
  limit = 1;
  @Integer({ min: 0, max: 30, optional: true, default: 0, example: 0, description: 'How long to wait for work' })
  waitSeconds = 0;
}

/** For the field of a claim that says whose work a worker does. */
export const PROFILE_KEYS = {
  optional: true,
  items: { schema: { type: 'string', maxLength: 100 }, what: 'the key of a profile', test: isSlug },
  description: 'All when left out',
};
