import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, type Client, organizationOf } from '../support/client.ts';
import { TestApp } from '../support/test-app.ts';
import { Estate } from './estate.ts';
import { fixtureOf } from './fixtures.ts';
import { documentOf, OCTETS, type Operation, operationsOf, type Schema, UPLOADED, withoutMeta } from './operations.ts';

/**
 * Every operation of the OpenAPI document against every way in that must stay shut. A route that is added is here by
 * itself; what it needs is at most a fixture for a new path parameter (`fixtures.ts`).
 */
const app = await TestApp.start({ env: { TRUST_PROXY: 'on' } });
afterAll(() => app.close());
const SCOPES = ['read', 'work', 'decide', 'settings'];
const document = await documentOf(app);
const operations = operationsOf(document);
const named = (some: readonly Operation[]) => some.map((operation) => [operation.name, operation] as const);
/** Pages take what servers and browsers of others send, streams what programs of others do: tests of their own say what. */
const strict = operations.filter(({ showsPage, isStream }) => !showsPage && !isStream);
const guarded = operations.filter(({ isPublic }) => !isPublic);

let victim: Estate;
/** Another organization of the victim's owner. */
let elsewhereId: string;
let attacker: Estate;
let everything: string;
let before: Record<string, string>;

/** Final calls mend text instead of refusing it, as `last-words.test.ts` tries. */
const LAST_WORD = /^POST \/internal\/(runs|chat-turns)\/\{\w+\}\/(complete|fail|cancelled)$/;
const RECEIPTS = /\/insights\/query$/;
/** Names of files are reduced to what may be in one, as `attach.test.ts` tries. */
const REDUCED = 'fileName';

beforeAll(async () => {
  victim = await Estate.make(app, operations);
  attacker = await Estate.make(app, operations);
  // What the tests of rights need is there before the first look.
  await victim.viewer();
  elsewhereId = await organizationOf(victim.owner);
  await victim.ownerLimitedTo({ organizationIds: [elsewhereId] });
  for (const scope of SCOPES) {
    await victim.ownerLimitedTo({ scopes: [scope] });
    await victim.ownerLimitedTo({ scopes: SCOPES.filter((other) => other !== scope) });
  }
  everything = await statementOfEverything();
  before = await everythingOf(victim);
});
afterEach(async () => {
  const after = await everythingOf(victim);
  const expected = before;
  // The next test has to answer for itself only.
  before = after;
  expect(after).toEqual(expected);
});

describe.each(named(guarded))('%s: who', (_name, operation) => {
  it('refuses a caller without a token, with one that nobody knows, and with one of another kind, and says which', async () => {
    for (const [client, issue] of [
      [app.anonymous, undefined],
      [app.client('brt_forged'), 'unknown_token'],
      [app.client(`brt_${'A'.repeat(43)}`), 'unknown_token'],
      [victim.wrongCallerOf(operation), 'wrong_kind'],
    ] as const)
      expectUnauthorized(operation, await operation.send(client, victim.pathOf(operation)), issue);
  });

  if (operation.schemes.includes('agentExecutionCapability'))
    it('refuses an execution of another organization as it does a forged token', async () => {
      const theirs = await operation.send(await attacker.execution(), victim.pathOf(operation));
      const forged = await operation.send(app.client('forged'), victim.pathOf(operation));
      const code = operation.path.startsWith('/internal/') ? 'agent_unauthorized' : 'owner_unauthorized';
      expect(theirs).toMatchObject({ status: 401, ...(operation.hasAnswerBody ? { body: { error: { code } } } : {}) });
      expect(withoutMeta(theirs)).toEqual(withoutMeta(forged));
    });

  if (operation.parameters.length > 0 && operation.schemes.includes('ownerToken'))
    it('answers a stranger as if nothing were there', async () => {
      const theirs = await operation.send(attacker.owner, victim.pathOf(operation));
      const nothings = await operation.send(attacker.owner, victim.pathOf(operation, unknownIds(operation)));
      const code = operation.code(operation.ofOrganization ? 'organization_not_found' : 'not_found');
      expect(theirs.status).toBe(404);
      if (operation.hasAnswerBody) expect(theirs.body.error.code).toBe(code);
      expect(withoutMeta(theirs)).toEqual(withoutMeta(nothings));
    });

  // Runtimes serve every organization; of owners only the administrator sees what they do.
  if (operation.path === '/workers')
    it('refuses owners', async () => {
      for (const { owner } of [attacker, victim])
        expectUnauthorized(operation, await operation.send(owner, operation.path), 'wrong_kind');
    });
  else if (operation.method === 'GET' && operation.parameters.length === 0)
    it('shows a stranger nothing of the organization', async () => {
      const { status, text } = await operation.send(attacker.callerOf(operation), operation.path);
      expect(status).toBe(200);
      const own = [...victim.ids].filter(([key]) => !fixtureOf(key).namedByContent);
      expect(own.filter(([, id]) => text.includes(id))).toEqual([]);
    });

  // An entity of one organization is not found under another one.
  for (const { key, name } of operation.ofOrganization ? operation.parameters.slice(1) : [])
    if (!(operation.method === 'PUT' && fixtureOf(key).namedByCaller) && !fixtureOf(key).namedByContent)
      it(`does not find ${name} under another parent`, async () => {
        const at = (id: string) => attacker.pathOf(operation, { [name]: encodeURIComponent(id) });
        const misplaced = await operation.send(attacker.callerOf(operation), at(victim.ids.get(key)!));
        const nothings = await operation.send(attacker.callerOf(operation), at(fixtureOf(key).unknown()));
        expect(misplaced.status).toBe(404);
        expect(withoutMeta(misplaced)).toEqual(withoutMeta(nothings));
      });
});

describe.each(named(operations.filter(({ schemes }) => schemes.includes('ownerToken'))))(
  '%s: rights',
  (_name, operation) => {
    it('refuses a token that has every scope but its own, and admits one that has no other', async () => {
      expect(SCOPES).toContain(operation.scope);
      const lacking = await victim.ownerLimitedTo({ scopes: SCOPES.filter((scope) => scope !== operation.scope) });
      expectUnauthorized(operation, await operation.send(lacking, victim.pathOf(operation)), 'not_in_scope');
      const path = victim.pathOf(operation);
      const having = await victim.ownerLimitedTo({ scopes: [operation.scope!] });
      // Admitted, and refused for what it says.
      const { status } = await operation.send(having, `${path}${path.includes('?') ? '&' : '?'}unheardOf=1`);
      expect(status).toBe(400);
    });

    if (!operation.ofOrganization) return;

    it('lets a viewer do exactly what it says', async () => {
      const path = victim.pathOf(operation);
      const answer = await operation.send(await victim.viewer(), path);
      if (operation.role !== 'viewer') return expectUnauthorized(operation, answer, 'not_in_scope');
      expect(operation.scope).toBe('read');
      const owners = await operation.send(victim.owner, path);
      expect(answer.status).toBeLessThan(400);
      if (RECEIPTS.test(operation.name)) {
        // Each answer is kept as one of its own.
        expect(answer.body.data.series).toEqual(owners.body.data.series);
        before = await everythingOf(victim);
        return;
      }
      expect(withoutMeta(answer)).toEqual(withoutMeta(owners));
      if (!operation.isEnveloped && !operation.events) expect(answer.text).toEqual(owners.text);
    });

    it('answers its owner’s token for other organizations as if nothing were there', async () => {
      const elsewhere = await victim.ownerLimitedTo({ organizationIds: [elsewhereId] });
      const here = await operation.send(elsewhere, victim.pathOf(operation));
      const nowhere = await operation.send(elsewhere, victim.pathOf(operation, unknownIds(operation)));
      expect(here.status).toBe(404);
      if (operation.hasAnswerBody) expect(here.body.error.code).toBe(operation.code('organization_not_found'));
      expect(withoutMeta(here)).toEqual(withoutMeta(nowhere));
    });
  },
);

describe.each(named(strict))('%s: how', (_name, operation) => {
  if (!document.paths[operation.path]!.head)
    it('does not take HEAD', async () => {
      for (const client of [app.anonymous, attacker.owner, victim.callerOf(operation)]) {
        const { status, headers } = await client.send('HEAD', victim.pathOf(operation));
        expect(status).toBe(405);
        expect(String(headers.allow).split(', ')).toContain(operation.method);
      }
    });

  it('decides about a percent-encoded path as about the plain one', async () => {
    const plain = victim.pathOf(operation);
    const encoded = plain.replaceAll(
      /\/([a-z])(?=[a-z-]+(\/|$))/g,
      (_, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`,
    );
    expect(encoded).not.toBe(plain);
    const callers: Client[] = [app.anonymous, ...(operation.ofOrganization ? [attacker.owner] : [])];
    if (operation.method === 'GET') callers.push(victim.callerOf(operation));
    for (const client of callers) {
      const [a, b] = [await operation.send(client, plain), await operation.send(client, encoded)];
      expect([b.status, b.body?.error?.code]).toEqual([a.status, a.body?.error?.code]);
    }
  });

  for (const { key, name } of operation.parameters)
    it.each(fixtureOf(key).anyText ? ['%00', '%ff'] : ['malformed', '%00', '%ff'])(
      `refuses ${name} that is "%s"`,
      async (text) => {
        const { status, body } = await operation.send(
          victim.callerOf(operation),
          victim.pathOf(operation, { [name]: text }),
        );
        // A token is good for one organization, or one connector, so under any other text it is refused before that is looked at.
        const isOfToken =
          name === 'organizationId'
            ? isForExecutionsOnly(operation) || victim.callerOf(operation) === victim.agent
            : name === 'integrationId' && isOfGateway(operation);
        if (isOfToken && text !== '%ff')
          return expect([status, operation.errorIn({ body }).code]).toEqual([401, 'agent_unauthorized']);
        expect(status).toBe(400);
        if (!operation.hasAnswerBody) return;
        expect(body.error.code).toMatch(/^(validation|request)_failed$/);
        if (text !== '%ff') expect(body.error.issues).toEqual([expect.objectContaining({ path: name })]);
      },
    );

  for (const { name, schema } of operation.described.parameters?.filter((each) => each.in === 'query') ?? [])
    if (name !== REDUCED && textsOf({ properties: { [name]: schema } }).length > 0)
      it(`refuses NUL in ${name}`, async () => {
        const path = victim.pathOf(operation, { [name]: 'a%00b' });
        const { status, body } = await operation.send(victim.callerOf(operation), path);
        expect([status, body.error.issues]).toEqual([400, [expect.objectContaining({ path: name })]]);
      });
});

describe.each(named(strict))('%s: query', (_name, operation) => {
  it('refuses a key that nobody knows, and names it', async () => {
    const path = victim.pathOf(operation);
    const asked = `${path}${path.includes('?') ? '&' : '?'}unheardOf=1`;
    const body = operation.takesBytes ? UPLOADED : operation.body?.example;
    const headers = operation.takesBytes ? { 'content-type': OCTETS } : {};
    const { status, body: answer } = await operation.send(victim.callerOf(operation), asked, body, headers);
    expect(status).toBe(400);
    if (!operation.hasAnswerBody) return;
    expect(operation.errorIn({ body: answer })).toMatchObject({
      code: operation.code('validation_failed'),
      issues: [{ path: 'unheardOf', code: 'unknown_property' }],
    });
  });
});

const bodiless = strict.filter(
  ({ method, body, takesBytes }) => !['GET', 'HEAD'].includes(method) && !body && !takesBytes,
);

describe.each(named(bodiless))('%s: a body that it does not have', (_name, operation) => {
  it.each([[{ unheardOf: 1 }, 'unheardOf', 'unknown_property'] as const, [[1], '', 'wrong_type'] as const])(
    'refuses %j',
    async (given, path, code) => {
      const { status, body } = await operation.send(victim.callerOf(operation), victim.pathOf(operation), given);
      expect([status, body.error.issues]).toEqual([400, [expect.objectContaining({ path, code })]]);
    },
  );
});

const uploads = operations.filter(({ takesBytes }) => takesBytes);
if (uploads.length > 0)
  describe.each(named(uploads))('%s: body', (_name, operation) => {
    it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])('refuses %s', async (type) => {
      const headers = { 'content-type': type };
      const { status } = await operation.send(victim.callerOf(operation), victim.pathOf(operation), '{}', headers);
      expect(status).toBe(415);
    });
  });

/** Of JSON-RPC the protocol says what a message is; tests of their own say it. */
const takesJson = ({ method, takesBytes, isJsonRpc }: Operation) =>
  method !== 'GET' && method !== 'HEAD' && !takesBytes && !isJsonRpc;
describe.each(named(strict.filter(takesJson)))('%s: body', (_name, operation) => {
  const refused = async (body: unknown, status: number, code: string, headers = {}) => {
    const answer = await operation.send(victim.callerOf(operation), victim.pathOf(operation), body, headers);
    expect([answer.status, answer.body.error?.code, body]).toEqual([status, operation.code(code), body]);
    return answer.body.error.issues as { path: string; code: string }[];
  };

  it('refuses JSON that nests 65 deep, or is none', async () => {
    const codes = [];
    for (const body of [
      '['.repeat(65) + ']'.repeat(65),
      '{"a":'.repeat(65) + '1' + '}'.repeat(65),
      '{"name":',
      '{} {}',
    ])
      codes.push((await refused(body, 400, 'validation_failed'))[0]!.code);
    expect(codes).toEqual(['too_deep', 'too_deep', 'malformed_json', 'malformed_json']);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'application/json; charset=utf-16',
  ])('refuses %s', async (type) => {
    await refused('{}', 415, 'unsupported_media_type', { 'content-type': type });
  });

  if (!operation.body) return;
  const example = operation.body.example as Record<string, unknown>;

  it('refuses what is not an object', async () => {
    for (const body of [[], [example], 'null', '5', '"text"', 'true']) await refused(body, 400, 'validation_failed');
  });

  it('refuses a property that nobody knows, at every depth', async () => {
    const places = objectsOf(operation.body!.schema).filter((place) => !isOfConnector(operation, place));
    for (const place of ['', ...places]) {
      const path = place ? `${place}.unheardOf` : 'unheardOf';
      const issues = await refused(withValue(example, path, 1), 400, 'validation_failed');
      // Where the example is of another kind than the place belongs to, the place itself is unknown.
      const unknown = issues.filter(({ code }) => code === 'unknown_property').map((issue) => issue.path);
      expect([path, unknown.some((at) => `${path}.`.startsWith(`${at}.`))]).toEqual([path, true]);
    }
  });

  const texts = LAST_WORD.test(operation.name) ? [] : textsOf(operation.body.schema);
  if (texts.length > 0)
    it.each(texts)('refuses NUL in %s', async (path) => {
      const issues = await refused(withValue(example, path, 'a\u0000b'), 400, 'validation_failed');
      expect(issues.map((issue) => (`${path}.`.startsWith(`${issue.path}.`) ? path : issue.path))).toEqual([path]);
    });
});

/** Settings are held against what their kind of connector takes, which the row says first: tests of each kind say it. */
function isOfConnector({ path }: Operation, place: string): boolean {
  return path.endsWith('/integrations/{integrationRef}/settings') && /^(?:s|expectedS)ettings(?:\.|$)/.test(place);
}

/** Asserts a 401 with this issue about the token, or none. */
function expectUnauthorized(operation: Operation, { status, body }: Answer, issue: string | undefined): void {
  expect(status).toBe(401);
  if (!operation.hasAnswerBody) return;
  const { code, issues } = operation.errorIn({ body });
  expect(code).toMatch(/_unauthorized$/);
  expect(issues).toEqual(issue && [{ path: 'authorization', code: issue, message: expect.any(String) }]);
}

function isForExecutionsOnly({ schemes }: Operation): boolean {
  return schemes.join() === 'agentExecutionCapability';
}

function isOfGateway({ schemes }: Operation): boolean {
  return schemes.join() === 'integrationGatewayCapability';
}

function unknownIds({ parameters }: Operation): Record<string, string> {
  return Object.fromEntries(parameters.map(({ key, name }) => [name, encodeURIComponent(fixtureOf(key).unknown())]));
}

/** Dotted paths of all text in a schema that is not one of a fixed set of words. */
function textsOf(schema: Schema): string[] {
  return leaves(schema, '', (each) => each.type === 'string' && !each.enum);
}

/** Dotted paths of all objects inside a schema. */
function objectsOf(schema: Schema): string[] {
  return leaves(schema, '', (each, path) => each.properties !== undefined && path !== '');
}

function leaves(of: Schema, path: string, wanted: (schema: Schema, path: string) => boolean): string[] {
  const below = (key: string) => (path ? `${path}.${key}` : key);
  const resolved = of.$ref ? document.components.schemas[of.$ref.split('/').at(-1)!]! : of;
  // Nullable text has two types.
  const schema = Array.isArray(resolved.type) ? { ...resolved, type: resolved.type[0] as string } : resolved;
  return [
    ...(wanted(schema, path) ? [path] : []),
    ...[...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((each) =>
      leaves(each, path, wanted),
    ),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, each]) => leaves(each, below(key), wanted)),
    ...(schema.items ? leaves(schema.items, below('0'), wanted) : []),
  ];
}

/** A copy with this value at a dotted path, numbers being places in lists. */
function withValue(of: unknown, path: string, value: unknown): unknown {
  const [key = '', ...rest] = path.split('.');
  const inner = (at: unknown) => (rest.length > 0 ? withValue(at, rest.join('.'), value) : value);
  if (key === '0') return [inner(Array.isArray(of) ? of[0] : undefined)];
  return { ...(of as object), [key]: inner((of as Record<string, unknown> | undefined)?.[key]) };
}

/** What an organization has in every table, and its owner's tokens; not what only says that somebody looked. */
async function everythingOf({ organizationId, owner }: Estate): Promise<Record<string, string>> {
  const { rows } = await app.db.query<{ table: string; digest: string }>({
    // Planned once: that takes 30 ms, and it runs after each of some thousand tests.
    name: 'everything',
    text: everything,
    values: [organizationId, owner.subject],
  });
  return Object.fromEntries(rows.map(({ table, digest }) => [table, digest]));
}

async function statementOfEverything(): Promise<string> {
  const { rows: tables } = await app.db.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const owned = tables.map(({ name }) => `select '${name}', to_jsonb(t) from "${name}" t where t.organization_id = $1`);
  return `
    with content ("table", "row") as (
      ${owned.join(' union all ')}
      union all select 'organization', to_jsonb(o) from organization o where o.id = $1
      union all select 'owner_token', to_jsonb(t) - 'last_used_at' from owner_token t where t.subject = $2)
    select "table", count(*) || ' rows, ' || md5(string_agg("row"::text, '' order by "row"::text)) as digest
    from content where not ("table" = 'activity' and "row"->>'verb' = 'bootstrap.used') group by "table"`;
}
