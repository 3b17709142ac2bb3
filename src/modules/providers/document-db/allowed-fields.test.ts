import { describe, expect, it } from '@jest/globals';
import { allowedPart, outermost, projectionOf } from './allowed-fields.ts';

const part = (document: Record<string, unknown>, ...paths: readonly string[]): unknown =>
  JSON.parse(JSON.stringify(allowedPart(document, paths)));

describe('the allowed part of a document', () => {
  it('is what lies at its paths, in lists of each element', () => {
    const document = {
      _id: 1,
      total: 5,
      secret: 'x',
      customer: { id: 7, name: 'x', address: { city: 'y' } },
      lines: [{ sku: 'a', cost: 1 }, 5, [{ sku: 'b', cost: 2 }], { cost: 3 }],
    };
    expect(part(document, 'total', 'customer.id', 'lines.sku', 'missing', 'total.x')).toEqual({
      total: 5,
      customer: { id: 7 },
      lines: [{ sku: 'a' }, [{ sku: 'b' }], {}],
    });
    expect(part(document, 'customer', 'customer.id')).toEqual({ customer: document.customer });
  });

  it('takes nothing from prototypes', () => {
    expect(part({}, 'constructor', 'toString.name', '__proto__')).toEqual({});
    expect(part(JSON.parse('{"__proto__": {"a": 1}, "b": 2}'), 'a', 'b')).toEqual({ b: 2 });
  });
});

it('leaves out paths below others, which a server refuses together', () => {
  expect(outermost(['a.b', 'a', 'ab', 'c.d.e', 'c.d.e.f', 'a.b.c', 'ab'])).toEqual(['a', 'ab', 'c.d.e']);
  expect({ ...projectionOf(['a', 'a.b']) }).toEqual({ _id: 0, a: 1 });
  expect({ ...projectionOf(['_id', 'a.b']) }).toEqual({ _id: 1, 'a.b': 1 });
});
