import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { toolIn, toolsIn } from './tool-inventory.ts';

const named = (name: unknown, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
const reasonOf = (tool: unknown) => toolsIn([tool]).excluded[0]?.reason;
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

describe('a tool of a list', () => {
  it('is hashed by the canonical text of what its definition has, and of nothing else', () => {
    const text = '{"annotations":{"readOnlyHint":true},"description":"d","inputSchema":{"type":"object"},"name":"a"}';
    const tool = { ...named('a'), annotations: { readOnlyHint: true }, description: 'd', _meta: { x: 1 }, icons: [] };
    expect(toolIn(tool)).toEqual({
      name: 'a',
      title: null,
      description: 'd',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
      access: 'read',
      risk: 'external',
      reviewRequired: false,
      definitionHash: createHash('sha256').update(text).digest('hex'),
    });
  });

  it.each([
    [{}, 'write', 'external', true],
    [{ readOnlyHint: true }, 'read', 'external', false],
    [{ readOnlyHint: 'true' }, 'write', 'external', true],
    [{ destructiveHint: true }, 'write', 'high', true],
    [{ destructiveHint: false }, 'write', 'external', false],
    [{ readOnlyHint: true, destructiveHint: true }, 'read', 'high', false],
  ])('with the hints %j means', (annotations, access, risk, reviewRequired) => {
    expect(toolIn(named('a', { annotations }))).toMatchObject({ access, risk, reviewRequired });
  });

  it.each([
    ['no object', 7, 'invalid_name'],
    ['no name', { inputSchema: {} }, 'invalid_name'],
    ['a name with a space', named('a b'), 'invalid_name'],
    ['a step of a path', named('.'), 'invalid_name'],
    ['a step upwards', named('..'), 'invalid_name'],
    ['a name of 129', named('a'.repeat(129)), 'invalid_name'],
    ['no schema', { name: 'a' }, 'invalid_schema'],
    ['a schema of a text', named('a', { inputSchema: { type: 'string' } }), 'invalid_schema'],
    ['a title that is none', named('a', { title: 1 }), 'invalid_schema'],
    ['a NUL', named('a', { description: 'a\0b' }), 'invalid_schema'],
    ['half a character', named('a', { description: '\uD800' }), 'invalid_schema'],
    ['too many bytes', named('a', { description: 'x'.repeat(32_768) }), 'too_large'],
    ['too many levels', named('a', { inputSchema: nested(17) }), 'too_deep'],
    [
      'a reference outside',
      named('a', { inputSchema: { allOf: [{ $ref: 'https://x.example/' }] } }),
      'remote_reference',
    ],
    [
      'a header on a list',
      named('a', { inputSchema: { properties: { a: { type: 'array', 'x-mcp-header': 'A' } } } }),
      'invalid_header',
    ],
    [
      'a header in a choice',
      named('a', { inputSchema: { anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] } }),
      'invalid_header',
    ],
    [
      'a header that is none',
      named('a', { inputSchema: { properties: { a: { type: 'string', 'x-mcp-header': 'A: b' } } } }),
      'invalid_header',
    ],
  ])('with %s is left out', (_, tool, reason) => expect(reasonOf(tool)).toBe(reason));

  it.each([
    ['a local reference', named('a', { inputSchema: { $ref: '#/$defs/a', $defs: { a: {} } } })],
    ['a text that only looks like a NUL', named('a', { description: String.raw`\u0000` })],
    ['a header', named('a', { inputSchema: { properties: { a: { type: 'string', 'x-mcp-header': 'A' } } } })],
    ['a property called as a keyword', named('a', { inputSchema: { properties: { $ref: { type: 'string' } } } })],
    ['32 KiB', named('a', { description: 'x'.repeat(32_700) })],
  ])('with %s is kept', (_, tool) => expect(reasonOf(tool)).toBeUndefined());
});

describe('a list', () => {
  it('leaves out every tool of a name that comes twice', () => {
    const { tools, excluded } = toolsIn([named('a'), named('b'), named('a', { title: 'other' })]);
    expect(tools.map(({ name }) => name)).toEqual(['b']);
    expect(excluded).toEqual([{ name: 'a', reason: 'duplicate_name' }]);
  });

  it('keeps 500 tools and 1 MiB, in its order, and names the rest', () => {
    const many = toolsIn(Array.from({ length: 1_200 }, (_, each) => named(`t${each}`)));
    expect([many.tools.length, many.excluded.length, many.excluded[0]]).toEqual([
      500,
      500,
      { name: 't500', reason: 'over_limit' },
    ]);
    const large = toolsIn(
      Array.from({ length: 40 }, (_, each) => named(`t${each}`, { description: 'x'.repeat(32_000) })),
    );
    expect(large.tools).toHaveLength(32);
    expect(large.excluded).toHaveLength(8);
  });

  it('names what it leaves out in a form that can be shown', () => {
    expect(toolsIn([named('\0\u001b[31m')]).excluded).toEqual([{ name: '\uFFFD\uFFFD[31m', reason: 'invalid_name' }]);
  });
});
