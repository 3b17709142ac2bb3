import { defineIssues } from './issue-row.ts';

/** Findings about requests, whichever resource they are about. */
export const EdgeIssues = defineIssues({
  required: { code: 'required', message: 'is required' },
  unknownProperty: { code: 'unknown_property', message: 'is not a known property' },
  wrongType: { code: 'wrong_type', message: 'is of another type than this' },
  invalidText: { code: 'invalid_text', message: 'must not hold NUL or lone surrogates' },
  invalidLength: { code: 'invalid_length', message: 'is too short or too long' },
  blank: { code: 'blank', message: 'must hold a character that can be seen' },
  outOfRange: { code: 'out_of_range', message: 'is too small or too large' },
  unknownValue: { code: 'unknown_value', message: 'must be one of the words that are listed for it' },
  invalidItem: { code: 'invalid_item', message: 'holds an item that is not as items must be' },
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
  unknownReference: { code: 'unknown_reference', message: 'names nothing that is there for you' },
  notOfKind: { code: 'not_of_kind', message: 'does not belong to something of this kind' },
  notInFuture: { code: 'not_in_future', message: 'must be in the future' },

  // Of the request as it arrived.
  malformedRequest: { code: 'malformed_request', message: 'The request is not well-formed HTTP.' },
  missingHost: { code: 'missing_host', message: 'The Host header is missing.' },
  malformedPath: { code: 'malformed_path', message: 'The path is not a well-formed address.' },
  malformedQuery: { code: 'malformed_query', message: 'is not well-formed percent-encoding of UTF-8' },
  malformedJson: { code: 'malformed_json', message: 'The body is not well-formed JSON.' },
  duplicateKey: { code: 'duplicate_key', message: 'An object names the same key twice.' },
  forbiddenKey: { code: 'forbidden_key', message: 'This key is not allowed.' },
  inexactNumber: { code: 'inexact_number', message: 'The number cannot be kept exactly.' },
  tooDeep: { code: 'too_deep', message: 'nests deeper than is permitted' },
  tooManyValues: { code: 'too_many_values', message: 'The body holds too many values and keys.' },

  // Of bytes.
  mediaTypeNotAccepted: { code: 'media_type_not_accepted', message: 'is a type that is not taken' },
  mediaTypeMismatch: { code: 'media_type_mismatch', message: 'is not what the bytes are' },
  digestMismatch: { code: 'digest_mismatch', message: 'is not the digest of the bytes that arrived' },

  // Of a process that cannot serve.
  connectionsStuck: {
    code: 'connections_stuck',
    message: 'The connections to the database serve nothing; restart the process.',
  },
  shuttingDown: { code: 'shutting_down', message: 'The process is shutting down.' },
  databaseUnreachable: { code: 'database_unreachable', message: 'The database does not answer.' },
  migrationsMissing: { code: 'migrations_missing', message: 'The database lacks migrations of this build.' },
});
