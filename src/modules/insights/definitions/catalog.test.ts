import { describe, expect, it } from '@jest/globals';
import { DATASET_DEFINITIONS, measureNamed, readAt } from './datasets.ts';
import { bodyOf, catalogHash, definitionHash, isReadAnew } from './definition.ts';
import { BUILTIN_METRICS, measureNamesOf, metricNamed } from './metrics.ts';

const ORDERS = metricNamed('payments.orders')!;

describe('built-in metrics', () => {
  it('have formulas of known measures, whose steps point only to earlier ones', () => {
    for (const metric of BUILTIN_METRICS) {
      const { nodes, root } = metric.calculation.expression;
      expect(nodes.length).toBeLessThanOrEqual(32);
      expect(nodes[root]).toBeDefined();
      for (const [place, node] of nodes.entries()) {
        const pointed = node.kind === 'sum' ? node.operands : 'left' in node ? [node.left, node.right] : [];
        expect(pointed.every((step) => step < place)).toBe(true);
      }
      for (const name of measureNamesOf(metric)) {
        const measure = measureNamed(metric.dataset, name)!;
        for (const grain of metric.grains) expect(readAt(measure, grain)).toBeDefined();
        if (metric.currency) expect(measure.perCurrency).toBe(true);
      }
      expect(metric.currency).toBe(metric.unit === 'currency');
    }
  });

  it('have each dimension as a cut of all their measures', () => {
    for (const metric of BUILTIN_METRICS)
      for (const dimension of metric.dimensions)
        for (const name of measureNamesOf(metric)) {
          const { measures } = DATASET_DEFINITIONS.find(({ dataset }) => dataset === metric.dataset)!;
          const cut = measures.find((each) => each.of === name && each.cut?.dimension === dimension);
          expect([metric.key, dimension, cut?.of]).toEqual([metric.key, dimension, name]);
        }
  });

  it('have keys of their own, in order', () => {
    const keys = BUILTIN_METRICS.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('the hash of a definition', () => {
  const hash = (more: object = {}, zone = 'UTC') => definitionHash(bodyOf({ ...ORDERS, ...more }, zone));

  it('does not follow its words', () => {
    expect(hash({ name: 'Sales', description: 'Something else.' })).toBe(hash());
  });

  it.each([
    ['unit', { unit: 'number' }],
    ['dimensions', { dimensions: ['status'] }],
    ['grains', { grains: ['day'] }],
    [
      'formula',
      { calculation: { ...ORDERS.calculation, expression: { nodes: [{ kind: 'constant', value: '1' }], root: 0 } } },
    ],
  ])('follows its %s', (_what, more) => {
    expect(hash(more)).not.toBe(hash());
  });

  it('follows the timezone where days are those of the organization, and nowhere else', () => {
    expect(hash({}, 'Asia/Tokyo')).not.toBe(hash());
    for (const key of ['web.views', 'documents.created']) {
      const [one, other] = ['UTC', 'Asia/Tokyo'].map((zone) => definitionHash(bodyOf(metricNamed(key)!, zone)));
      expect(one).toBe(other);
    }
    expect(catalogHash(BUILTIN_METRICS, 'UTC')).not.toBe(catalogHash(BUILTIN_METRICS, 'Asia/Tokyo'));
  });

  it('is the same in every release, so that receipts can be compared', () => {
    expect(hash()).toMatch(/^[0-9a-f]{64}$/);
    expect(hash()).toBe(definitionHash(structuredClone(bodyOf(ORDERS, 'UTC'))));
  });
});

describe('what another body means for history', () => {
  const body = bodyOf(ORDERS, 'UTC');
  it('is that it is read again under another timezone, or another version of a read', () => {
    expect(isReadAnew(body, bodyOf(ORDERS, 'Asia/Tokyo'))).toBe('timezone_changed');
    expect(isReadAnew(body, { ...body, measures: body.measures.map((each) => ({ ...each, version: 2 })) })).toBe(
      'collection_changed',
    );
  });

  it('is nothing where only the formula changes', () => {
    const expression = { nodes: [{ kind: 'constant', value: '1' } as const], root: 0 };
    expect(isReadAnew(body, { ...body, calculation: { ...body.calculation, expression } })).toBeUndefined();
  });
});
