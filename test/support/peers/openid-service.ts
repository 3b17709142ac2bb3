import { afterAll, beforeAll } from '@jest/globals';
import { MovedClock } from '../moved-clock.ts';
import { TestApp } from '../test-app.ts';
import { OpenIdPeer, signingKey } from './openid-peer.ts';

/** A service and the OpenID provider of its owners. */
export class OpenIdService {
  readonly app = new TestApp();
  private opened: { readonly peer: OpenIdPeer; readonly clock: MovedClock } | undefined;

  get peer(): OpenIdPeer {
    return this.whole.peer;
  }
  get clock(): MovedClock {
    return this.whole.clock;
  }

  async open(algorithms: readonly string[], prepare: (peer: OpenIdPeer) => void): Promise<void> {
    const peer = await OpenIdPeer.start(...(await Promise.all(algorithms.map((alg) => signingKey(alg)))));
    prepare(peer);
    await this.app.open({ env: peer.environment() });
    this.opened = { peer, clock: new MovedClock(this.app) };
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.peer.stop();
  }

  private get whole() {
    if (!this.opened) throw new Error('There is no provider before the first hook of the tests has run.');
    return this.opened;
  }
}

/** Both are there before these tests and closed after them; `prepare` runs before the service starts. */
export function useOpenIdService(
  algorithms: readonly string[] = ['RS256'],
  prepare: (peer: OpenIdPeer) => void = () => undefined,
): OpenIdService {
  const service = new OpenIdService();
  beforeAll(() => service.open(algorithms, prepare));
  afterAll(() => service.close());
  return service;
}
