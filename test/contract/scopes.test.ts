import { afterAll, describe, expect, it } from '@jest/globals';
import { TestApp } from '../support/test-app.ts';
import { documentOf, operationsOf, type Operation } from './operations.ts';

/** Which scope a route takes follows from what it does; `tenancy-matrix.test.ts` tries that it takes that one. */
const app = await TestApp.start();
afterAll(() => app.close());
const document = await documentOf(app);
const operations = operationsOf(document);

const DECISIONS =
  /\/(human-inbox|inbox)\/.*\/(respond|acknowledge)$|\/actions\/\{id\}\/(approve|reject|reconcile|payload)$/;
const WORK =
  /\/(tasks|task-dependencies|chats|messages|attachments|schedules|runs|run-requests|knowledge|learning)(\/|$)/;
/** What an execution stores of its own, whoever began it. */
const OWN = /\/(execution\/outcome|artifacts\/\{sha256\}|durability\/\{namespace\}\/\{key\})$/;
/** What settings may name: it is asked for with the connector's credential. */
const SELECTORS = /\/(web-analytics\/properties|integrations\/\{integrationRef\}\/resources)$/;
/** What only asks, though with a body. */
const QUERIES = /\/insights\/query$/;
const reads = ({ method, path }: Operation) => method === 'GET' || method === 'HEAD' || QUERIES.test(path);

const named = (some: readonly Operation[]) => some.map((operation) => [operation.name, operation] as const);
const ofOwners = operations.filter(({ schemes }) => schemes.includes('ownerToken'));
const ofExecutions = operations.filter(
  ({ schemes, path }) => schemes.includes('agentExecutionCapability') && path.startsWith('/internal/'),
);

describe.each(named(ofOwners))('%s', (_name, operation) => {
  it('takes the scope of what it does, and the least role that may', () => {
    const { path, scope, role, described } = operation;
    const changing = WORK.test(path) ? 'work' : 'settings';
    const expected = DECISIONS.test(path) ? 'decide' : reads(operation) && !SELECTORS.test(path) ? 'read' : changing;
    expect(scope).toBe(expected);
    const least = expected === 'read' ? 'viewer' : 'owner';
    expect(role).toBe(operation.ofOrganization ? least : undefined);
    expect(described.description).toContain(`Scope \`${expected}\``);
  });
});

describe.each(named(ofExecutions))('%s', (_name, operation) => {
  it('takes a scope of whoever began a turn, unless it reads or is the execution’s own', () => {
    const { path, scope, described } = operation;
    const isOwn = reads(operation) || OWN.test(path);
    expect(scope).toBe(isOwn ? undefined : DECISIONS.test(path) ? 'decide' : 'work');
    if (!isOwn) expect(described.description).toContain(`needs the scope \`${scope!}\``);
  });
});

it('routes for runtimes alone take none', () => {
  const others = operations.filter(({ schemes }) => schemes.join() === 'agentServiceToken');
  expect(others.filter(({ scope, role }) => scope ?? role)).toEqual([]);
});
