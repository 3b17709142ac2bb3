import { afterAll, describe, expect, it } from '@jest/globals';
import { SCHEMES } from '../../src/kernel/http/endpoint/index.ts';
import { revisionOf } from '../../src/modules/agent-profiles/catalog.ts';
import { readCatalogFolder } from '../../src/modules/agent-profiles/catalogs/catalog-folder.ts';
import { AGENT_PARTS } from '../../src/modules/agent-profiles/catalogs/instruction-parts.ts';
import { TestApp } from '../support/test-app.ts';
import { documentOf, operationsOf } from './operations.ts';

/** Agents are told of what exists, and of nothing else. */
const app = await TestApp.start();
afterAll(() => app.close());
const operations = operationsOf(await documentOf(app));
const shipped = readCatalogFolder('catalog')!;

const BASE = '/internal/agent/organizations/{organizationId}';
/** Paths in code, with or without a method: `…` stands for the base, and what is in braces for any value. */
const CALLS = /`(?:(GET|POST|PUT|PATCH|DELETE) )?((?:…|\/internal|\/organizations)\/[^`?\s]+)[^`]*`/g;
const callsIn = (text: string) =>
  [...text.matchAll(CALLS)].map(([, method, path]) => ({ method, path: path!.replace('…', BASE) }));

/** Whether an execution may call it. */
function isOpen({ method, path }: { method: string | undefined; path: string }): boolean {
  const segments = path.split('/');
  return operations.some((operation) => {
    const shown = operation.path.split('/');
    return (
      (method === undefined || operation.method === method) &&
      (operation.schemes.includes(SCHEMES.execution) || operation.schemes.includes(SCHEMES.gateway)) &&
      shown.length === segments.length &&
      shown.every((segment, index) => segment === segments[index] || /^\{.+\}$/.test(segment))
    );
  });
}

describe('the shipped instructions', () => {
  it.each(Object.entries(shipped.instructions))(
    'of %s name calls of the document that executions may make',
    (_key, text) => {
      const calls = callsIn(text).filter(({ path }) => path !== BASE);
      expect(calls.length).toBeGreaterThanOrEqual(5);
      expect(calls.filter((call) => !isOpen(call))).toEqual([]);
    },
  );

  it('speak of no outcome or part that is not there', () => {
    const absent = /<!--/;
    for (const text of Object.values(shipped.instructions)) expect(absent.exec(text)?.[0]).toBeUndefined();
  });

  it.each(Object.entries(AGENT_PARTS))('speak of %s as soon as this build has it', (_name, { built, route }) => {
    expect(operations.some(({ name }) => name === route)).toBe(built);
  });

  // Whoever changes the catalog raises its version, or no database gets it, and puts both here.
  it('have a version for each content', () => {
    expect([shipped.catalog.version, revisionOf(shipped)]).toEqual([
      10,
      '001d9460aea09a9b6cce447bc5257b32ddf8d91e05fa9873dc456e1b8e8f116d',
    ]);
  });
});
