import { expect, it } from '@jest/globals';
import { freeKey, isOwnKey, keyOfName } from './connector-key.ts';

it.each([
  ['Orders', 'mcp-orders'],
  ['Ordres – Été 2026', 'mcp-ordres-ete-2026'],
  ['MCP orders', 'mcp-orders'],
  ['注文', 'mcp-server'],
  ['x'.repeat(200), `mcp-${'x'.repeat(90)}`],
])('makes a key of the name %s', (name, key) => {
  expect(keyOfName(name)).toBe(key);
  expect(isOwnKey(key)).toBe(true);
});

it('counts on where the key is taken', () => {
  expect(freeKey('mcp-a', new Set())).toBe('mcp-a');
  expect(freeKey('mcp-a', new Set(['mcp-a', 'mcp-a-2']))).toBe('mcp-a-3');
});
