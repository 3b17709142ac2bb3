import { defineIssues, type IssueRow } from './issue-row.ts';

/** Findings about requests to any resource. */
export const EdgeIssues = defineIssues({
  required: { code: 'required', message: 'is required' },
  unknownProperty: { code: 'unknown_property', message: 'is not a known property' },
  wrongType: { code: 'wrong_type', message: 'has the wrong type' },
  invalidText: {
    code: 'invalid_text',
    message: 'must not contain NUL, lone surrogates or, in some texts, other controls',
  },
  invalidLength: { code: 'invalid_length', message: 'is too short or too long' },
  blank: { code: 'blank', message: 'must contain a visible character' },
  outOfRange: { code: 'out_of_range', message: 'is too small or too large' },
  unknownValue: { code: 'unknown_value', message: 'must be one of the listed words' },
  invalidItem: { code: 'invalid_item', message: 'contains an invalid item' },
  duplicateItem: { code: 'duplicate_item', message: 'must not repeat an item' },
  tooLarge: { code: 'too_large', message: 'has too many bytes as JSON' },
  invalidSlug: { code: 'invalid_slug', message: 'must be lowercase letters and digits in segments joined by hyphens' },
  invalidUuid: { code: 'invalid_uuid', message: 'must be a UUID' },
  invalidTimestamp: {
    code: 'invalid_timestamp',
    message: 'must be a date-time of RFC 3339 with a zone, e.g. 2026-03-01T09:30:00Z',
  },
  invalidDigest: { code: 'invalid_digest', message: 'must be 64 hexadecimal characters' },
  invalidUri: { code: 'invalid_uri', message: 'must be an absolute URI' },
  invalidCursor: { code: 'invalid_cursor', message: 'must be a cursor of this list, with the same filters' },
  unknownReference: { code: 'unknown_reference', message: 'names something that does not exist or is not open to you' },
  notOfKind: { code: 'not_of_kind', message: 'does not belong to an entity of this kind' },
  notInFuture: { code: 'not_in_future', message: 'must be in the future' },

  // About the token of a call that is refused with 401.
  unknownToken: {
    code: 'unknown_token',
    message: 'is no token that the service knows here: it is mistyped, expired, revoked, or of another organization',
  },
  wrongKind: { code: 'wrong_kind', message: 'is a token of another kind than the route takes' },
  notForThisProfile: { code: 'not_for_this_profile', message: 'is a token of an agent profile that may not do this' },
  notInScope: { code: 'not_in_scope', message: 'is a token that may not do this' },

  // About what a caller does for somebody.
  notPermitted: { code: 'not_permitted', message: 'is not for you to name here' },
  newerThanMessage: {
    code: 'newer_than_message',
    message: 'came to be after the message that this turn answers; the person must write again, or decide themselves',
  },

  // About a lease that does not hold, by what its token still proves.
  leaseEnded: { code: 'ended', message: 'is of work that is over, or of a lease that has lapsed: stop this work' },
  leaseSuperseded: { code: 'superseded', message: 'is of work that another claim has taken over: stop this work' },
  leaseUnknown: { code: 'unknown', message: 'is of no lease that is known here' },

  // About who works.
  profileDisabled: { code: 'profile_disabled', message: 'The agent profile is disabled.' },

  // About the request as it was sent.
  malformedRequest: { code: 'malformed_request', message: 'The request is malformed HTTP.' },
  missingHost: { code: 'missing_host', message: 'The Host header is missing; send it.' },
  malformedPath: { code: 'malformed_path', message: 'The path is malformed; percent-encode it as UTF-8.' },
  malformedQuery: { code: 'malformed_query', message: 'is malformed; percent-encode it as UTF-8' },
  malformedJson: { code: 'malformed_json', message: 'The body is malformed JSON.' },
  duplicateKey: { code: 'duplicate_key', message: 'An object names the same key twice; send each key once.' },
  forbiddenKey: { code: 'forbidden_key', message: 'This key is not allowed; leave it out.' },
  inexactNumber: { code: 'inexact_number', message: 'The number cannot be kept exactly; send fewer digits, or text.' },
  tooDeep: { code: 'too_deep', message: 'is nested too deep; flatten it' },
  tooManyValues: { code: 'too_many_values', message: 'The body holds too many values and keys; send less at once.' },

  // About texts that many read.
  unsafeText: { code: 'unsafe_text', message: 'holds control characters, or what may be a credential' },

  // About bytes.
  mediaTypeNotAccepted: { code: 'media_type_not_accepted', message: 'is not an accepted type' },
  mediaTypeMismatch: { code: 'media_type_mismatch', message: 'is not the type of the bytes; declare their real type' },
  digestMismatch: { code: 'digest_mismatch', message: 'is not the digest of the bytes that arrived; send them again' },
  bytesDamaged: { code: 'bytes_damaged', message: 'names a file whose stored bytes are damaged or gone' },

  // About a process that cannot serve.
  connectionsStuck: {
    code: 'connections_stuck',
    message: 'The database connections are stuck; restart the process.',
  },
  shuttingDown: { code: 'shutting_down', message: 'The process is shutting down; use another one.' },
  databaseUnreachable: {
    code: 'database_unreachable',
    message: 'The database does not answer; check that it runs and can be reached.',
  },
  migrationsMissing: { code: 'migrations_missing', message: 'The database lacks migrations of this build; run them.' },
});

/** What a lease may be that does not hold. */
export const LOST_LEASE = [EdgeIssues.leaseEnded, EdgeIssues.leaseSuperseded, EdgeIssues.leaseUnknown];

const OF_SOME_ROUTES: ReadonlySet<IssueRow> = new Set([
  ...LOST_LEASE,
  EdgeIssues.unknownToken,
  EdgeIssues.wrongKind,
  EdgeIssues.notForThisProfile,
  EdgeIssues.notInScope,
  EdgeIssues.notPermitted,
  EdgeIssues.newerThanMessage,
  EdgeIssues.profileDisabled,
  EdgeIssues.unsafeText,
  EdgeIssues.mediaTypeNotAccepted,
  EdgeIssues.mediaTypeMismatch,
  EdgeIssues.digestMismatch,
  EdgeIssues.bytesDamaged,
  EdgeIssues.connectionsStuck,
  EdgeIssues.shuttingDown,
  EdgeIssues.databaseUnreachable,
  EdgeIssues.migrationsMissing,
]);

/** Findings about the form of a request, which any route may have. */
export const FORM_ISSUES = Object.values(EdgeIssues).filter((row) => !OF_SOME_ROUTES.has(row));
