import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { WorkCopy } from '../../support/git/work-copy.ts';
import { GitHostPeer, type HostedRepository, type Mishap } from '../../support/peers/git-host-peer.ts';
import { Outside } from '../../support/peers/outside.ts';

let outside: Outside;
let host: GitHostPeer;
let shop: HostedRepository;
let copy: WorkCopy;
let addressWith: (token: string) => string;

beforeAll(async () => {
  outside = await Outside.start();
  host = await GitHostPeer.start(outside);
  host.tokens
    .set('writes', { write: true })
    .set('reads', {})
    .set('elsewhere', { repositories: ['acme/docs'] });
  shop = await host.create('Acme/Shop');
  await shop.commit('main', { 'README.md': '# Shop\n' });
  const port = await outside.plain(host.answer);
  addressWith = (token) => `http://x-access-token:${token}@127.0.0.1:${port}/acme/SHOP.git`;
  copy = await WorkCopy.clone(addressWith('writes'));
});
beforeEach(() => host.forget());
afterAll(async () => {
  await copy.remove();
  await host.stop();
  outside.stop();
});

const pushed = async (mishap?: Mishap, token = 'writes') => {
  await copy.commit('README.md', `# Shop\n\n${await copy.head()}\n`);
  host.mishap = ({ isDiscovery }) => (isDiscovery ? undefined : mishap);
  const { status } = await copy.attempt(['push', addressWith(token), 'main']);
  return { status, stands: (await shop.branch('main')) === (await copy.head()) };
};

it('takes pushes as real Git does, and keeps what was asked', async () => {
  expect(await pushed()).toEqual({ status: 0, stands: true });
  expect(host.asked).toEqual(['GET git-receive-pack', 'GET git-receive-pack', 'POST git-receive-pack']);
  expect(host.requests.at(-1)!.body.includes('PACK')).toBe(true);
});

it('admits nobody whom it does not know, or for what it was not said', async () => {
  for (const token of ['nobody', 'elsewhere', 'reads'])
    expect(await pushed(undefined, token)).toEqual({ status: expect.any(Number), stands: false });
  expect(host.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  expect((await copy.attempt(['ls-remote', addressWith('reads')])).status).toBe(0);
  expect((await copy.attempt(['ls-remote', addressWith('elsewhere')])).status).not.toBe(0);
});

it.each<[Mishap, boolean]>([
  [{ kind: 'drop', when: 'before' }, false],
  [{ kind: 'drop', when: 'after' }, true],
  [{ kind: 'cut', afterBytes: 10 }, true],
  [{ kind: 'answer', status: 302, headers: { location: 'https://elsewhere.example/' } }, false],
  [{ kind: 'answer', status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Sign in</p>' }, false],
])('does as it is told: %j', async (mishap, stands) => {
  const outcome = await pushed(mishap);
  expect(outcome.stands).toBe(stands);
});

it('waits before the effect or after it', async () => {
  const gate = Promise.withResolvers<void>();
  const pushing = pushed({ kind: 'delay', until: gate.promise, effect: 'after' });
  gate.resolve();
  expect(await pushing).toEqual({ status: 0, stands: true });
});
