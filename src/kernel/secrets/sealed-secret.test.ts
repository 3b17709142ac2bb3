import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { open, rewrap, seal } from './sealed-secret.ts';

const key = { id: 'k1', bytes: randomBytes(32) };
const next = { id: 'k2', bytes: randomBytes(32) };
const CONTEXT = ['webhook_secret', 'organization', 'webhook', 1];

describe('a sealed secret', () => {
  const sealed = seal(key, { token: 'hunter2' }, CONTEXT);

  it('opens with its key and in its place, and is not there in the clear', () => {
    expect(open(key, sealed, CONTEXT)).toEqual({ token: 'hunter2' });
    expect(sealed.keyId).toBe('k1');
    expect(Buffer.concat([sealed.wrappedKey, sealed.sealed]).includes('hunter2')).toBe(false);
    expect(seal(key, { token: 'hunter2' }, CONTEXT).sealed).not.toEqual(sealed.sealed);
  });

  it.each([
    ['another organization', ['webhook_secret', 'other', 'webhook', 1]],
    ['another row', ['webhook_secret', 'organization', 'other', 1]],
    ['another table', ['other', 'organization', 'webhook', 1]],
    ['another generation', ['webhook_secret', 'organization', 'webhook', 2]],
  ])('does not open for %s', (_what, context) => {
    expect(() => open(key, sealed, context)).toThrow();
  });

  it('does not open with another key, of the same id or not, nor once a byte of it has changed', () => {
    for (const other of [next, { ...key, bytes: next.bytes }, { ...key, id: 'k2' }])
      expect(() => open(other, sealed, CONTEXT)).toThrow();
    for (const part of ['wrappedKey', 'sealed'] as const)
      for (const at of [0, 15, sealed[part].length - 1]) {
        const changed = Buffer.from(sealed[part]);
        changed[at]! ^= 1;
        expect(() => open(key, { ...sealed, [part]: changed }, CONTEXT)).toThrow();
      }
  });

  it('opens with the next key alone once it is wrapped with that', () => {
    const wrappedKey = rewrap(key, next, sealed.wrappedKey, CONTEXT);
    const moved = { ...sealed, keyId: 'k2', wrappedKey };
    expect(open(next, moved, CONTEXT)).toEqual({ token: 'hunter2' });
    expect(() => open(key, moved, CONTEXT)).toThrow();
    expect(() => rewrap(key, next, sealed.wrappedKey, ['other'])).toThrow();
  });
});
