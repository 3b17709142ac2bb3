import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ResponseSerializers } from '../../src/kernel/http/index.ts';
import { type Answer } from '../support/client.ts';
import { McpPeer } from '../support/peers/mcp-peer.ts';
import { TestApp } from '../support/test-app.ts';
import { callAsShown, Estate } from './estate.ts';
import { documentOf, inOrder, type Operation, operationsOf, type Schema } from './operations.ts';

// Connectors that the calls ask lie there.
const peer = await McpPeer.start([{ name: 'list_orders' }, { name: 'send_confirmation' }]);
const app = await TestApp.start({ env: peer.env });
afterAll(async () => {
  await app.close();
  await peer.stop();
});
const document = await documentOf(app);
const operations = operationsOf(document);
const each = (some: readonly Operation[]) => some.map((operation) => [operation.name, operation] as const);
const withBody = operations.filter(({ body }) => body);

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
// Under a name, so that what schemas refer to is compiled once and not with each of them.
ajv.addSchema({ components: document.components }, 'document');
const validators = new Map<string, ReturnType<typeof ajv.compile>>();

/** What is wrong with a value, or nothing. */
function faults(schema: Schema, value: unknown): string {
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text) as Schema);
  validators.set(text, validate);
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

describe('the document', () => {
  it('is OpenAPI 3.1 and names who serves it', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: expect.any(String) }] });
  });

  it('has no reference to nothing', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/(schemas|responses)\/([^"]+)"/g)];
    const names = references.map(([, kind, name]) => [kind as 'schemas' | 'responses', name!] as const);
    expect(names.filter(([kind, name]) => !document.components[kind][name])).toEqual([]);
  });

  it('is what `npm run openapi` writes without a database', () => {
    const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
    const file = join(folder, 'openapi.json');
    const { status, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', './openapi.ts', file], {
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const written = JSON.parse(readFileSync(file, 'utf8')) as object;
    rmSync(folder, { recursive: true });
    expect({ ...written, servers: undefined }).toEqual({ ...document, servers: undefined });
  });
});

describe.each(each(operations))('%s', (_name, operation) => {
  const { described, success } = operation;

  it('has summary, one tag and an operation id', () => {
    expect(described).toMatchObject({
      summary: expect.stringMatching(/^[A-Z].*[^.]$/),
      tags: [expect.stringMatching(/./)],
      operationId: expect.stringMatching(/^[a-z]\w+(\.[a-z]\w+){1,2}$/),
    });
    expect(operations.filter((other) => other.described.operationId === described.operationId)).toHaveLength(1);
  });

  it('shows a success that has the shape it promises', () => {
    const statuses = Object.keys(described.responses).filter((status) => status.startsWith('2'));
    if (operation.servesBytes) return expect(statuses).toEqual(['200', '206']);
    if (operation.showsPicture) return expect(statuses).toEqual(['200', '204']);
    if (operation.events || operation.text || operation.showsPage || operation.isStream)
      return expect(statuses).toEqual(['200']);
    // What creates may answer 200 with what is there already, and what takes a while 202.
    expect(operation.successes.map(({ status }) => status)).toEqual(
      operation.successes.length === 2 ? [200, success.status === 200 ? 202 : 201] : [success.status],
    );
    if (!operation.isEnveloped) return;
    for (const { status, media } of operation.successes) {
      const { schema, example } = media!;
      expect(schema.properties).toHaveProperty('data');
      expect(faults(schema, example)).toBe('');
      expect(example).toMatchObject({ success: true, statusCode: status });
    }
  });

  if (operation.events)
    it('shows an event of each kind, whose data has the shape that it promises', () => {
      const { examples, schema } = operation.events!;
      expect(Object.keys(examples)).not.toEqual([]);
      for (const [kind, { value }] of Object.entries(examples))
        expect([kind, faults(schema, value)]).toEqual([kind, '']);
      const frame = /^id: \S+\nevent: (\S+)\ndata: (.+)$/m.exec(operation.described.responses['200']!.description);
      expect(examples[frame![1]!]!.value).toEqual(JSON.parse(frame![2]!));
    });

  it('shows errors that have the shape they promise, each with its code', () => {
    const errors = Object.entries(described.responses).filter(([status]) => Number(status) >= 400);
    if (!operation.isPublic) expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['400', '401']));
    if (operation.showsPage || operation.isStream) return;
    for (const [status, { content }] of errors) {
      const { schema, examples = {} } = content!['application/json']!;
      const shown = Object.values(examples).map(({ value }) => value);
      expect(shown.map((value) => faults(schema, value)).filter(Boolean)).toEqual([]);
      if (!operation.isJsonRpc)
        expect(shown).toEqual(shown.map(() => expect.objectContaining({ statusCode: Number(status) })));
      const codes = [...new Set(shown.map((body) => operation.errorIn({ body }).code))];
      const { error } = schema.allOf![1]!.properties!;
      const said = operation.isJsonRpc ? error!.properties!.data! : error!;
      expect(codes).toEqual(said.properties!.code!.enum);
    }
  });

  it('serialises exactly what is declared', () => {
    if (!operation.isEnveloped) return;
    for (const { status, media } of operation.successes) {
      const serialize = app.app.get(ResponseSerializers).of(described.operationId, status)!;
      const { schema, example } = media!;
      expect(JSON.parse(serialize(example))).toEqual(example);
      expect(JSON.parse(serialize(withUndeclared(schema, example)))).toEqual(example);
    }
  });
});

describe.each(each(withBody))('the body of %s', (_name, operation) => {
  it('has an example of its own shape', () => {
    expect(faults(operation.body!.schema, operation.body!.example)).toBe('');
  });

  it('is accepted as the example shows it', async () => {
    if (operation.needsOthers) return;
    const estate = await Estate.make(app, operations);
    const { status, body } = await callAsShown(app, estate, operation);
    expect([status, body.error]).toEqual([operation.success.status, undefined]);
  });
});

/** What is sent byte for byte, so that its digest holds; its writer is held against the shape above. */
const WRITTEN = /\/insights\/(query|receipts\/\{receiptId\})$/;

describe('real answers', () => {
  it('have every declared field, and lose none that a handler gave', async () => {
    const estate = await Estate.make(app, operations);
    const given = noteEnvelopes();
    for (const operation of inOrder(operations).filter(({ needsOthers }) => !needsOthers)) {
      const answer = await callAsShown(app, estate, operation);
      const what = `${operation.name}: ${answer.text}`;
      expect({ what, status: answer.status }).toEqual({ what, status: operation.success.status });
      if (!operation.isEnveloped) continue;
      expect({ what, faults: faults(operation.success.media!.schema, answer.body) }).toEqual({ what, faults: '' });
      if (!WRITTEN.test(operation.path)) expect(answer.body).toEqual(JSON.parse(JSON.stringify(given.at(-1))));
    }
    const enveloped = operations.filter(
      ({ isEnveloped, needsOthers, path }) => isEnveloped && !needsOthers && !WRITTEN.test(path),
    );
    expect(given.length).toBeGreaterThanOrEqual(enveloped.length);
    jest.restoreAllMocks();
  });
});

describe('the documents', () => {
  const paths = ['/docs', '/docs-json'];
  const statuses = async (of: TestApp): Promise<Answer[]> => Promise.all(paths.map((path) => of.anonymous.get(path)));

  it('are served to everybody', async () => {
    expect((await statuses(app)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('hold nothing but themselves', async () => {
    const listening = await TestApp.start();
    await listening.app.listen(0, '127.0.0.1');
    const { port } = new URL(await listening.app.getUrl());
    for (const path of ['/docs/%2e%2e/package.json', '/docs/%00', '/docs/%5c..', '/docs/nothing.js']) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      expect([path, response.status]).toEqual([path, 404]);
    }
    await listening.close();
  });

  it('are hidden by DOCS=off', async () => {
    const hidden = await TestApp.start({ env: { DOCS: 'off' } });
    const answers = await statuses(hidden);
    await hidden.close();
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      paths.map(() => [404, 'route_not_found']),
    );
  });
});

/** A copy with one more key in every object that does not take keys of any name. */
function withUndeclared(of: Schema, value: unknown): unknown {
  const schema = resolve(of, value);
  if (Array.isArray(value)) return value.map((item) => withUndeclared(schema.items ?? {}, item));
  if (typeof value !== 'object' || value === null || schema.additionalProperties) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    withUndeclared(schema.properties?.[key] ?? {}, item),
  ]);
  return { ...(Object.fromEntries(entries) as object), undeclared: 'CANARY-undeclared' };
}

function resolve({ $ref, discriminator, ...schema }: Schema, value: unknown): Schema {
  if ($ref) return resolve(document.components.schemas[$ref.split('/').at(-1)!]!, value);
  const kind = discriminator && (value as Record<string, string> | null)?.[discriminator.propertyName];
  if (kind !== undefined) return resolve({ $ref: discriminator!.mapping[kind]! }, value);
  const [variant] = [...(schema.allOf ?? []), ...(schema.anyOf ?? [])];
  return variant ? resolve(variant, value) : schema;
}

/** Collects the envelopes that handlers' results were put into, before they are serialised. */
function noteEnvelopes(): unknown[] {
  const given: unknown[] = [];
  const serializers = app.app.get(ResponseSerializers);
  const original = serializers.of.bind(serializers);
  jest.spyOn(serializers, 'of').mockImplementation((operationId, status) => {
    const serialize = original(operationId, status);
    return (
      serialize &&
      ((envelope) => {
        given.push(envelope);
        return serialize(envelope);
      })
    );
  });
  return given;
}
