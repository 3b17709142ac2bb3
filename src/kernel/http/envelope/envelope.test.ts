import { describe, expect, it } from '@jest/globals';
import { ApiError, EdgeErrors, type ErrorRow } from '../../errors/index.ts';
import { errorEnvelope } from './envelope.ts';

const META = { timestamp: '2026-03-01T09:30:00.000Z' };
const OWN = { status: 413, code: 'file_invalid', message: 'The file is too large.' };
const NOT_THERE = { status: 404, code: 'file_not_found', message: 'There is no such file.' };
const code = (row: ErrorRow, route: Parameters<typeof errorEnvelope>[2]) =>
  errorEnvelope(new ApiError(row), META, route).error.code;

describe('the code of an error', () => {
  it('is the route’s own where the edge refuses a body', () => {
    const route = { errors: [NOT_THERE, OWN] };
    expect(code(EdgeErrors.payloadTooLarge, route)).toBe('file_invalid');
    expect(code(EdgeErrors.unsupportedMediaType, route)).toBe('unsupported_media_type');
    expect(code(EdgeErrors.organizationNotFound, route)).toBe('organization_not_found');
    expect(code(EdgeErrors.payloadTooLarge, {})).toBe('payload_too_large');
  });

  it('is the family’s, where the route is of one', () => {
    const route = { errors: [OWN], family: 'request_failed' } as const;
    for (const row of [OWN, EdgeErrors.payloadTooLarge, EdgeErrors.notFound])
      expect(code(row, route)).toBe('request_failed');
    expect(code(EdgeErrors.ownerUnauthorized, route)).toBe('owner_unauthorized');
  });
});
