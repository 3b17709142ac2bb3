import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../errors/index.ts';
import { opaqueCursor, uuidCursor } from './cursor.ts';

const position = ['2026-03-01T09:30:00.123456Z', '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11'];

function issueOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return (error as ApiError).issues?.[0]?.code;
  }
  return undefined;
}

describe('opaqueCursor', () => {
  const list = opaqueCursor('members', ['org', { order: 'desc' }]);

  it('gives back what it wrote', () => {
    expect(list.decode(list.encode(position))).toEqual(position);
  });

  it('refuses one of another list, of other filters, or an altered one', () => {
    const cursor = list.encode(position);
    expect(issueOf(() => opaqueCursor('activity', ['org', { order: 'desc' }]).decode(cursor))).toBe('invalid_cursor');
    expect(issueOf(() => opaqueCursor('members', ['org', { order: 'asc' }]).decode(cursor))).toBe('invalid_cursor');
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
    parts[2] = '2020-01-01T00:00:00.000000Z';
    const altered = Buffer.from(JSON.stringify(parts)).toString('base64url');
    expect(issueOf(() => list.decode(altered))).toBe('invalid_cursor');
  });

  it.each(['', '%%%', 'bm8', Buffer.from('[2,"x"]').toString('base64url'), Buffer.from('{}').toString('base64url')])(
    'refuses %j',
    (cursor) => {
      expect(issueOf(() => list.decode(cursor))).toBe('invalid_cursor');
    },
  );
});

describe('uuidCursor', () => {
  it('takes a UUID and nothing else', () => {
    expect(uuidCursor.decode(position[1]!.toUpperCase())).toEqual([position[1]]);
    expect(issueOf(() => uuidCursor.decode('1'))).toBe('invalid_cursor');
  });
});
