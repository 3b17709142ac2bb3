import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { useWebsite } from '../../support/peers/website.ts';
import { TestApp } from '../../support/test-app.ts';
import { usePerson } from '../../support/use-test-app.ts';

const PNG = readFileSync(join(import.meta.dirname, '../../fixtures/media-types/square.png'));
const CALLS = 100;

const website = useWebsite();
const first = new TestApp();
const second = new TestApp();
beforeAll(async () => {
  await first.open({ env: website.env });
  await second.open({ env: website.env, databaseUrl: first.databaseUrl });
});
afterAll(() => Promise.all([first.close(), second.close()]));
const owner = usePerson(first);

async function organization(): Promise<string> {
  const id = await organizationOf(owner);
  await first.db.query('update organization set website = $2 where id = $1', [id, website.origin]);
  return id;
}

it('makes one look-up for a hundred cold calls on two replicas', async () => {
  website.become({
    // Slow enough that all calls come meanwhile.
    '/': (_request, response) => setTimeout(() => response.end('<link rel=icon href=/a.png>'), 500),
    '/a.png': PNG,
  });
  const id = await organization();
  const callers = [owner, second.client(owner.token)];
  const answers = await Promise.all(
    Array.from({ length: CALLS }, (_, index) => callers[index % 2]!.get(`/organizations/${id}/icon`)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(CALLS).fill(200));
  expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(1);
  expect(website.asked).toEqual(['/', '/a.png']);
});

it('keeps nothing of a look-up whose website was changed meanwhile', async () => {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  website.become({
    '/': (_request, response) => {
      begun.resolve();
      void held.promise.then(() => response.end(''));
    },
    '/favicon.ico': PNG,
  });
  const id = await organization();
  const looking = owner.get(`/organizations/${id}/icon`);
  await begun.promise;
  await first.db.query(`update organization set website = 'https://elsewhere.invalid' where id = $1`, [id]);
  held.resolve();
  await looking;
  const { rows } = await first.db.query('select status, bytes from organization_icon where organization_id = $1', [id]);
  expect(rows).toEqual([{ status: 'none', bytes: null }]);
  expect((await owner.get(`/organizations/${id}/icon`)).status).toBe(204);
});

it('looks again when whoever looked has died', async () => {
  website.become({ '/favicon.ico': PNG });
  const id = await organization();
  await first.db.query(
    `insert into organization_icon (organization_id, website, lookup_until) values ($1, $2, now() - interval '1 s')`,
    [id, website.origin],
  );
  expect((await owner.get(`/organizations/${id}/icon`)).status).toBe(200);
});
