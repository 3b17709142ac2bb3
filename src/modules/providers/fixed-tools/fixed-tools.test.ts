import { expect, it } from '@jest/globals';
import { FixedTools } from './fixed-tools.ts';

const tools = new FixedTools([
  {
    name: 'list_orders',
    title: 'List orders',
    description: 'Lists orders of a store.',
    access: 'read',
    properties: { store_id: { type: 'string', maxLength: 20 }, page: { type: 'integer', minimum: 1, default: 1 } },
    required: ['store_id'],
  },
]);

it('writes the scope into the schemas that agents see, and keeps the pin', () => {
  const [plain] = tools.listed();
  const [scoped] = tools.listed((_, argument, schema) =>
    argument === 'store_id' ? { ...schema, enum: ['1', '2'] } : schema,
  );
  expect(scoped!.inputSchema).toEqual({
    type: 'object',
    properties: {
      store_id: { type: 'string', maxLength: 20, enum: ['1', '2'] },
      page: { type: 'integer', minimum: 1, default: 1 },
    },
    required: ['store_id'],
    additionalProperties: false,
  });
  expect(scoped!.definitionHash).toBe(plain!.definitionHash);
  expect(plain!.inputSchema).not.toEqual(scoped!.inputSchema);
});

it('holds arguments against the definition, with its defaults', () => {
  expect(tools.checked('list_orders', { store_id: '1' })).toEqual({ store_id: '1', page: 1 });
  expect(() => tools.checked('list_orders', { store_id: '1', page: 0 })).toThrow(
    expect.objectContaining({ issues: [expect.objectContaining({ path: 'arguments.page', code: 'out_of_range' })] }),
  );
});
