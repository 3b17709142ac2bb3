import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { TestApp } from '../support/test-app.ts';
import { documentOf, operationsOf, type Schema } from './operations.ts';

/** docs/runtimes.md says what a runtime does about every refusal that the document knows of, and invents none. */
const page = readFileSync(join(import.meta.dirname, '../../docs/runtimes.md'), 'utf8');
const app = await TestApp.start();
afterAll(() => app.close());
const document = await documentOf(app);
const operations = new Map(operationsOf(document).map((operation) => [operation.described.operationId, operation]));

interface Row {
  readonly status: string;
  readonly codes: readonly string[];
  readonly issues: readonly string[];
  readonly calls: string;
}

/** The rows of the table of calls: each call with its request and the fields of its body. */
const described = page
  .slice(page.indexOf('\n## Calls'), page.indexOf('\n## When a call is refused'))
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [, call, request, body] = line.split('|').map((cell) => cell.trim());
    const [required, optional = ''] = body!.split(';');
    return {
      id: inTicks(call!)[0]!,
      request: inTicks(request!)[0]!.replace('{agent}', '/internal/agent/organizations/{organizationId}'),
      required: inTicks(required!),
      optional: inTicks(optional),
    };
  });
const calls = described.map(({ id }) => id);
const rows = page
  .slice(page.indexOf('<!-- refusals'), page.indexOf('<!-- /refusals'))
  .split('\n')
  .filter((line) => /^\| (\d|none)/.test(line))
  .map((line): Row => {
    const [, status, code, issue, of] = line.split('|').map((cell) => cell.trim());
    return { status: status!, codes: inTicks(code!), issues: inTicks(issue!), calls: of! };
  });

function inTicks(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
}

/** The codes of errors and the issues that a schema of an error names. */
function refusalsIn(schema: Schema | undefined) {
  const parts = schema?.allOf ?? [];
  const error = parts.map(({ properties }) => properties?.error?.properties).find((found) => found !== undefined);
  const items = error?.issues?.items?.allOf ?? [];
  const issues = items.flatMap(({ properties }) => properties?.code?.enum ?? []);
  return { codes: (error?.code?.enum ?? []) as string[], issues: issues as string[] };
}

function refusalsOf(id: string, status: string) {
  const answer = operations.get(id)!.described.responses[status];
  const shared = answer?.$ref && document.components.responses[answer.$ref.split('/').at(-1)!];
  return refusalsIn((shared || answer)?.content?.['application/json']?.schema);
}

function propertiesOf(schema: Schema): string[] {
  return [...Object.keys(schema.properties ?? {}), ...(schema.allOf ?? []).flatMap(propertiesOf)];
}

const sorted = (words: readonly string[]) => [...new Set(words)].toSorted();

describe('the page about runtimes', () => {
  it('names calls of the document', () => {
    expect(calls.length).toBeGreaterThan(15);
    expect(rows.flatMap((row) => inTicks(row.calls)).filter((id) => !calls.includes(id))).toEqual([]);
  });

  it('names each call of a runtime and its agents', () => {
    const kin = [...page.matchAll(/`([\w.]+\.)\w+` and its\skin/g)].map(([, family]) => family!);
    const ids = [...operations.values()]
      .filter(({ name }) => name.includes(' /internal/'))
      .map(({ described: { operationId } }) => operationId);
    expect(ids.length).toBeGreaterThan(calls.length);
    expect(ids.filter((id) => !page.includes(`\`${id}\``) && !kin.some((family) => id.startsWith(family)))).toEqual([]);
    // A run calls these too, so that their conflicts are told one by one.
    expect(calls).toEqual(expect.arrayContaining(['agent.inbox.open', 'agent.actions.propose']));
  });

  it('names each part of the manifest', () => {
    const parts = page.slice(page.indexOf('\n## The manifest'), page.indexOf('\n## Modes and outcomes'));
    const named = new Set(parts.split('\n').flatMap((line) => inTicks(line.split('|')[1] ?? '')));
    const { discriminator } = document.components.schemas.Manifest!;
    const kinds = Object.values(discriminator?.mapping ?? {}).map((ref) => ref.split('/').at(-1)!);
    const schemas = ['Manifest', ...kinds].map((name) => document.components.schemas[name]!);
    const properties = schemas.flatMap(propertiesOf);
    expect(properties).toContain('decisions');
    expect(properties.filter((property) => !named.has(property))).toEqual([]);
  });

  it.each(described)('names request and body of $id', ({ id, request, required, optional }) => {
    const operation = operations.get(id)!;
    expect(request).toBe(operation.name);
    if (operation.takesBytes || id === 'agent.execution.stage') return;
    const { schema } = operation.body ?? {};
    const name = schema?.$ref?.split('/').at(-1);
    const { properties = {}, required: needed = [] } = name ? document.components.schemas[name]! : {};
    const lease = ['organizationId', 'leaseToken'].filter((field) => needed.includes(field));
    expect(sorted([...required, ...lease])).toEqual(sorted(needed));
    expect(sorted([...required, ...lease, ...optional])).toEqual(sorted(Object.keys(properties)));
  });

  it.each(calls)('knows each conflict of %s, and no other', (id) => {
    const { codes, issues } = refusalsOf(id, '409');
    const about = rows.filter(
      (row) =>
        row.status === '409' &&
        (row.calls === 'all calls under a lease' ? codes.includes(row.codes[0]!) : inTicks(row.calls).includes(id)),
    );
    expect([sorted(about.flatMap((row) => row.codes)), sorted(about.flatMap((row) => row.issues))]).toEqual([
      sorted(codes),
      sorted(issues),
    ]);
  });

  it('knows each issue of a refused token', () => {
    const about = new Set(rows.filter(({ status }) => status === '401').flatMap(({ issues }) => issues));
    expect(calls.flatMap((id) => refusalsOf(id, '401').issues).filter((issue) => !about.has(issue))).toEqual([]);
  });
});
