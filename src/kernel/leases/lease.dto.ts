import { CutText, Flag, Integer, isSlug, isUuid, Text, TextList, Uuid } from '../validation/index.ts';

/** The fields of every call under a lease. */
export class LeaseDto {
  @Uuid()
  organizationId!: string;
  // Takes any text, because an unknown token is answered as a lapsed one.
  @Text({
    min: 0,
    example: 'Zr1cW0dV3o0m9k5Gq2h7yJxT8uE4aS6nLbPfIvKtMwQ',
    description: 'The token that the claim returned',
  })
  leaseToken!: string;
}

/** The longest wait of a heartbeat, in seconds: the time between two of them at the usual length of a lease. */
const BEAT_WAIT_SECONDS = 20;

/** The fields of a heartbeat. */
export class BeatDto extends LeaseDto {
  @Integer({
    min: 0,
    max: BEAT_WAIT_SECONDS,
    optional: true,
    default: 0,
    example: 0,
    description:
      'How many seconds to wait for something to say, at most until the next heartbeat is due. The lease is renewed at once; the answer comes early where the worker is to stop or anything else in it changes',
  })
  waitSeconds = 0;
}

/** What an attempt has consumed, as its worker counts it. */
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

/** Why an attempt failed, as its worker reports it. */
export class FailureDto {
  @CutText({ max: 100, example: 'tests_failed', description: 'Preferably a snake_case word' })
  code!: string;
  @CutText({ max: 4_000, example: 'Three of the tests fail after the change.' })
  message!: string;
  @Flag({ example: true })
  retryable!: boolean;
}

/** Most items of one claim. */
export const MAX_CLAIMS = 50;

/** The fields of a claim. */
export class PullDto {
  @Text({ max: 200, example: 'runtime-7', description: 'Name of the worker; stays the same when it restarts' })
  workerId!: string;
  @Uuid({ description: 'A UUID that is new at each start of the worker' })
  bootId!: string;
  @Text({
    max: 200,
    optional: true,
    example: 'claim-4711',
    description:
      'Identifies a repeat of this call: while its claims hold, a repeat returns the same items with new lease tokens, and only the latest tokens work',
  })
  requestKey?: string;
  @TextList({
    optional: true,
    items: { schema: { type: 'string', format: 'uuid' }, what: 'a UUID', test: isUuid },
    description: 'Organizations to take work from; all if absent',
  })
  organizationIds?: string[];
  @Integer({ min: 1, max: MAX_CLAIMS, optional: true, default: 1, example: 1 })
  limit = 1;
  @Integer({
    min: 0,
    max: 30,
    optional: true,
    default: 0,
    example: 0,
    description: 'How many seconds to wait for work',
  })
  waitSeconds = 0;
}

/** Options of the field of a claim that names the agent profiles whose work the worker takes. */
export const PROFILE_KEYS = {
  optional: true,
  items: { schema: { type: 'string', maxLength: 100 }, what: 'the key of a profile', test: isSlug },
  description: 'Keys of the agent profiles to take work for; all if absent',
};
