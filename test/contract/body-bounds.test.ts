import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApp } from '../support/test-app.ts';
import { Estate } from './estate.ts';
import { documentOf, type Operation, operationsOf, type Schema } from './operations.ts';

/** What the documents say of the size of bodies: it is what is enforced, and what a route's fields allow fits it. */
const app = await TestApp.start();
afterAll(() => app.close());
const document = await documentOf(app);
const operations = operationsOf(document);
const named = (some: readonly Operation[]) => some.map((operation) => [operation.name, operation] as const);

/** Where the fields allow more together, the bytes are the bound: of a plan, a free object, or many long texts. */
const BY_BYTES = new Set([
  'PATCH /organizations/{organizationId}',
  'POST /organizations/{organizationId}/tasks',
  'POST /internal/agent/organizations/{organizationId}/tasks',
  'POST /internal/agent/organizations/{organizationId}/actions',
  'POST /internal/gateway/integrations/{integrationId}/tools/{toolName}/call',
  'POST /internal/gateway/integrations/{integrationId}/mcp',
  'PUT /internal/agent/organizations/{organizationId}/execution/outcome',
]);
/** Bounds that fields say in bytes, or that are no field's: an answer of 1 MiB, each byte of which may need two. */
const BYTES_OF: Readonly<Record<string, number>> = {
  'parts.[].text': (2 * 1024 * 1024) / 100,
  payload: 256 * 1024,
  context: 64 * 1024,
  settings: 64 * 1024,
  expectedSettings: 64 * 1024,
  'output.result.staged': 0,
  // One dimension with 50 values of 500 characters.
  'query.filters': 50 * 4 * 500,
  // Any text is answered; one that was given out has 43 characters.
  leaseToken: 50,
  // Any text too; a longer one is not kept.
  harnessSessionId: 4 * 1_000,
};

let estate: Estate;
beforeAll(async () => {
  estate = await Estate.make(app, operations);
});

const limitOf = ({ described }: Operation): number => {
  const [, mebibytes] = /^At most (\d+) MiB\b/.exec(described.requestBody?.description ?? '') ?? [];
  return Number(mebibytes) * 1024 * 1024;
};

const withBody = operations.filter(({ body, takesBytes }) => body ?? takesBytes);

describe.each(named(withBody))('%s', (_name, operation) => {
  const limit = limitOf(operation);
  const type = operation.takesBytes ? 'application/octet-stream' : 'application/json';
  const send = (body: string, declared: number) =>
    operation.send(estate.callerOf(operation), estate.pathOf(operation), body, {
      'content-type': type,
      'content-length': String(declared),
    });

  it('refuses what declares a byte more than it says, before any of it comes', async () => {
    const { status, body } = await send('', limit + 1);
    const codes = operation.described.responses['413']?.content?.['application/json'];
    const own = Object.values(codes?.examples ?? {}).map(({ value }) => value.error.code);
    expect([status, body.error.code]).toEqual([413, own[0] ?? operation.code('payload_too_large')]);
  });

  if (operation.takesBytes) return;

  it('reads as much as it says', async () => {
    const { status } = await send(`${' '.repeat(limit - 2)}[]`, limit);
    expect(status).toBe(400);
  });

  if (!BY_BYTES.has(operation.name))
    it('takes all that its fields allow', () => {
      expect(largest(operation.body!.schema)).toBeLessThanOrEqual(limit);
    });
});

it('names no route whose fields fit', () => {
  const fitting = operations.filter(
    (operation) => operation.body && largest(operation.body.schema) <= limitOf(operation),
  );
  expect(fitting.map(({ name }) => name).filter((name) => BY_BYTES.has(name))).toEqual([]);
});

/** Bytes of the longest JSON that a schema takes, a character at four. */
function largest(of: Schema, path: readonly string[] = []): number {
  const known = BYTES_OF[path.join('.')];
  if (known !== undefined) return known;
  const { $ref, properties, items, enum: values, type, ...schema } = of;
  if (type === 'null') return 4;
  if ($ref) return largest(document.components.schemas[$ref.split('/').at(-1)!]!, path);
  const others = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (others.length > 0) return Math.max(...others.map((each) => largest(each, path)));
  if (values) return Math.max(...values.map((value) => JSON.stringify(value).length));
  if (properties) {
    const sizes = Object.entries(properties).map(([name, each]) => name.length + 4 + largest(each, [...path, name]));
    return 2 + sum(sizes);
  }
  if (type === 'null') return 4;
  switch ([type].flat().find((each) => each !== 'null')) {
    case 'array':
      return 2 + (schema.maxItems ?? Infinity) * (1 + largest(items!, [...path, '[]']));
    case 'string':
      return (
        2 +
        Math.min(
          SIZE_OF_FORMAT[schema.format ?? ''] ?? lengthOf(schema.pattern),
          4 * (schema.maxLength ?? cutTo(schema.description)),
        )
      );
    case 'integer':
    case 'number':
      return 20;
    case 'boolean':
      return 5;
    default:
      return Infinity;
  }
}

const SIZE_OF_FORMAT: Readonly<Record<string, number>> = { uuid: 36, 'date-time': 40 };

/** Of texts that are cut instead of refused. */
function cutTo(description = ''): number {
  return Number(/Longer text is cut to (\d+) characters$/.exec(description)?.[1] ?? Infinity);
}

/** Of texts of a fixed form. */
function lengthOf(pattern: string | undefined): number {
  return Number(/^\^\[0-9a-f\]\{(\d+)\}\$$/.exec(pattern ?? '')?.[1] ?? Infinity);
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all + size, 0);
}
