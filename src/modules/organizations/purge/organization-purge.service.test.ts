import { describe, expect, it } from '@jest/globals';
import { childrenFirst } from './organization-purge.service.ts';

const namesOf = (tables: readonly { readonly name: string }[]) => tables.map(({ name }) => name);

describe('childrenFirst', () => {
  it('puts a table before all that it references, at any depth', () => {
    const order = namesOf(
      childrenFirst([
        { name: 'task', references: ['profile'] },
        { name: 'profile', references: ['organization'] },
        { name: 'run', references: ['task', 'profile'] },
        { name: 'chat', references: [] },
      ]),
    );
    expect([...order].sort()).toEqual(['chat', 'profile', 'run', 'task']);
    expect(order.indexOf('run')).toBeLessThan(order.indexOf('task'));
    expect(order.indexOf('task')).toBeLessThan(order.indexOf('profile'));
  });

  it('puts those that reference nothing last', () => {
    const order = namesOf(
      childrenFirst([
        { name: 'log', references: [] },
        { name: 'run', references: ['task'] },
        { name: 'task', references: ['organization'] },
      ]),
    );
    expect(order).toEqual(['run', 'task', 'log']);
  });
});
