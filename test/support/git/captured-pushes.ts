import { gunzipSync } from 'node:zlib';
import { GitHostPeer, type HostedRepository } from '../peers/git-host-peer.ts';
import type { Outside } from '../peers/outside.ts';
import { WorkCopy } from './work-copy.ts';

export interface CapturedPushes {
  /** What git sent: updates, a new branch, of a shallow copy, with and without objects; all of `main` or `new`. */
  readonly bodies: readonly Buffer[];
  /** The repository as it was before them. */
  readonly before: HostedRepository;
}

/** Has git push to a host of its own, and keeps what it sent. None of the pushes happens, so that all begin at one state. */
export async function capturedPushes(outside: Outside): Promise<CapturedPushes> {
  const host = await GitHostPeer.start(outside, 'captured.example');
  host.tokens.set('token', { write: true });
  const before = await host.create('acme/shop');
  await before.commit('main', { 'README.md': '# Shop\n' });
  await before.commit('main', { 'README.md': '# Shop\n\nOpen.\n' });
  const address = `http://x-access-token:token@127.0.0.1:${await outside.plain(host.answer)}/acme/shop`;
  host.mishap = ({ isDiscovery, service, body }) =>
    !isDiscovery && service === 'git-receive-pack' && body.length > 4 ? { kind: 'drop', when: 'before' } : undefined;
  const copies = [await WorkCopy.clone(address), await WorkCopy.clone(address, {}, ['--depth=1'])];
  for (const copy of copies) {
    await copy.git(['config', 'push.thin', 'false']);
    await copy.attempt(['push', 'origin', 'HEAD:refs/heads/new']);
    for (const text of ['one', 'two\n'.repeat(500)]) {
      await copy.commit('notes.txt', text);
      await copy.attempt(['push', '--no-thin', 'origin', 'HEAD:main']);
      await copy.attempt(['push', '--no-thin', '--quiet', '--atomic', 'origin', 'HEAD:new']);
    }
    await copy.remove();
  }
  const bodies = host.requests
    .filter(({ isDiscovery, service, body }) => !isDiscovery && service === 'git-receive-pack' && body.length > 4)
    .map(({ headers, body }) => (headers['content-encoding'] ? gunzipSync(body) : body));
  return { bodies, before };
}
