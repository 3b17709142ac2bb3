import { expect, it } from '@jest/globals';
import { expectRefusal, SEED } from '../../../test/support/configurations.ts';
import { readSettings } from '../index.ts';

const OTHER_SEED = 'oD7rM3kV8xP1tW6zN4bS9hC2fJ5qG0lU_eY-aIkVnRs';
const bytes = (text: string) => Buffer.from(text).toString('base64url');

it.each([
  ['CAPABILITY_KEYS', SEED],
  ['CAPABILITY_KEYS', `:${SEED}`],
  ['CAPABILITY_KEYS', `k 1:${SEED}`],
  ['CAPABILITY_KEYS', `k1:${SEED}:`],
  ['CAPABILITY_KEYS', `k1:${SEED},`],
  ['CAPABILITY_KEYS', `k1:${SEED.slice(1)}`],
  ['CAPABILITY_KEYS', `k1:${SEED}A`],
  ['CAPABILITY_KEYS', `k1:${SEED}=`],
  ['CAPABILITY_KEYS', `k1:${SEED.replace('-', '+')}`],
  // Its last character has bits that 32 bytes do not reach.
  ['CAPABILITY_KEYS', `k1:${SEED.slice(0, -1)}l`],
  ['CAPABILITY_KEYS', `k1:${SEED},k1:${OTHER_SEED}`],
  ['CAPABILITY_KEYS', `k1:${'A'.repeat(43)}`],
  ['CAPABILITY_KEYS', `k1:${Buffer.from([...Array(32).keys()]).toString('base64url')}`],
  ['CAPABILITY_KEYS', `k1:${bytes('correct horse battery staple now')}`],
  ['CAPABILITY_KEYS', 'k1:nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'],
  ['CAPABILITY_KEYS', `k1:${SEED},k2:example${SEED.slice(7)}`],
])('refuses %s=%s in one line that names it', expectRefusal);

it('takes overlapping capability keys, in their order', () => {
  expect(readSettings({ CAPABILITY_KEYS: `k2:${OTHER_SEED}, k-1_:${SEED}` }).CAPABILITY_KEYS).toEqual([
    { kid: 'k2', seed: Buffer.from(OTHER_SEED, 'base64url') },
    { kid: 'k-1_', seed: Buffer.from(SEED, 'base64url') },
  ]);
});
