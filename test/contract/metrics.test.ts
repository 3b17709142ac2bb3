import { globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { definedMetrics, PREFIX } from '../../src/kernel/metrics/index.ts';
import { EventReader, eventsPath, listening } from '../support/event-reader.ts';
import { firstChat } from '../support/factories/chats.ts';
import { type Scrape, scrape } from '../support/scrape.ts';
import { TestApp } from '../support/test-app.ts';
import { callAsShown, Estate } from './estate.ts';
import { documentOf, inOrder, operationsOf } from './operations.ts';

/** What a scrape shows behind a call of every operation, jobs, a stream, and calls that are refused. */
const app = await TestApp.start({ ownDatabase: true, env: { ROLE: 'worker' } });
afterAll(() => app.close());
let estate: Estate;
let seen: Scrape;

/** Shown where a collector of traces is configured. */
const UNLESS_CONFIGURED = [`${PREFIX}trace_spans_lost_total`];
const SRC = join(import.meta.dirname, '../../src');
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

beforeAll(async () => {
  const operations = operationsOf(await documentOf(app));
  estate = await Estate.make(app, operations);
  const path = eventsPath({
    organizationId: estate.organizationId,
    chatId: await firstChat(app, estate.organizationId),
  });
  const reader = await EventReader.open(await listening(app), path, { token: estate.owner.token });
  for (const operation of inOrder(operations)) {
    await callAsShown(app, estate, operation);
    await operation.send(app.anonymous, `${estate.pathOf(operation)}/${estate.organizationId}`);
  }
  for (const job of ['runs-expire', 'turns-due']) await app.runJob(job);
  seen = await scrape(app);
  reader.close();
}, 120_000);

describe('the metrics of the service', () => {
  it('are all declared in a table, and all that is declared is shown', async () => {
    const declared = definedMetrics().map(({ name }) => PREFIX + name);
    const shown = [...seen.families.keys()].filter((name) => name.startsWith(PREFIX)).sort();
    expect(new Set(shown).isSubsetOf(new Set(declared))).toBe(true);
    const files = globSync('**/*.metrics.ts', { cwd: SRC });
    expect(files.length).toBeGreaterThan(8);
    for (const file of files) await import(join(SRC, file));
    expect(definedMetrics()).toHaveLength(declared.length);
    expect(declared.filter((name) => !shown.includes(name))).toEqual(UNLESS_CONFIGURED);
  });

  it('say in a sentence what they mean, and in which unit where they have one', () => {
    for (const { name, kind, help } of definedMetrics()) {
      expect(help).toMatch(/^[A-Z1].*\.$/s);
      if (kind !== 'counter' && name.endsWith('_seconds')) expect(help).toMatch(/\bseconds\b/i);
    }
  });

  it('have the labels of their table, with values that stand there or that it bounds', () => {
    for (const { name, labels = {} } of definedMetrics())
      for (const key of seen.series.keys()) {
        if (!key.startsWith(`${PREFIX}${name}{`)) continue;
        const given = [...key.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label, value]) => [label!, value!] as const);
        expect(given.map(([label]) => label).sort()).toEqual(Object.keys(labels).sort());
        for (const [label, value] of given) {
          const values = labels[label]!;
          if (typeof values !== 'string') expect(values).toContain(value);
        }
      }
  });

  it('hold nothing of a tenant: no id, name or subject, of whatever was called', async () => {
    const { rows } = await app.db.query<{ name: string; slug: string }>('select name, slug from organization');
    const tenants = [...rows.flatMap(({ name, slug }) => [name, slug]), estate.owner.subject, estate.organizationId];
    expect(rows.length).toBeGreaterThan(0);
    for (const text of tenants) expect(seen.text).not.toContain(text);
    expect(seen.text).not.toMatch(UUID);
    expect(seen.text).not.toContain('CANARY');
  });

  it('stay few: no more series than routes, statuses and jobs account for', () => {
    const ofRequests = [...seen.series.keys()].filter((key) =>
      key.startsWith(`${PREFIX}http_request_duration_seconds`),
    );
    // Seven buckets, sum and count; each route was answered with a few statuses.
    expect(ofRequests.length).toBeLessThan(9 * 4 * 100);
    expect(seen.series.size - ofRequests.length).toBeLessThan(850);
  });
});
