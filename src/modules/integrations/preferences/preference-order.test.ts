import { expect, it } from '@jest/globals';
import { keysOf, withConnector, withoutConnector } from './preference-order.ts';

const ORDER = { orders: ['mcp-a', 'mcp-b'], mail: ['mcp-a'] };

it('takes a connector behind the others of each purpose that lacks it', () => {
  expect(withConnector(ORDER, 'mcp-b', ['orders', 'mail', 'constructor'])).toEqual({
    orders: ['mcp-a', 'mcp-b'],
    mail: ['mcp-a', 'mcp-b'],
    constructor: ['mcp-b'],
  });
  expect(withConnector(ORDER, 'mcp-a', ['orders', 'mail'])).toBe(ORDER);
  expect(withConnector(ORDER, 'mcp-a', [])).toBe(ORDER);
});

it('takes a connector out, and a purpose that nothing is left of', () => {
  expect(withoutConnector(ORDER, 'mcp-a')).toEqual({ orders: ['mcp-b'] });
  expect(withoutConnector(ORDER, 'mcp-c')).toBe(ORDER);
});

it('knows no purpose that nobody named', () => {
  expect(keysOf(ORDER, 'constructor')).toEqual([]);
});
