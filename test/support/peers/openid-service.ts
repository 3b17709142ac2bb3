import { afterAll, beforeAll } from '@jest/globals';
import { MovedClock } from '../moved-clock.ts';
import { TestApp } from '../test-app.ts';
import { OpenIdPeer, signingKey } from './openid-peer.ts';

/** A service and the OpenID provider of its owners. */
export class OpenIdService {
  readonly app = new TestApp();
  private provider: OpenIdPeer | undefined;
  private movedClock: MovedClock | undefined;

  get peer(): OpenIdPeer {
    if (!this.provider) throw new Error('There is no provider before the first hook of the tests has run.');
    return this.provider;
  }
  get clock(): MovedClock {
    return (this.movedClock ??= new MovedClock(this.app));
  }

  async openProvider(algorithms: readonly string[]): Promise<void> {
    this.provider = await OpenIdPeer.start(...(await Promise.all(algorithms.map((alg) => signingKey(alg)))));
  }

  async openApp(): Promise<void> {
    await this.app.open({ env: this.peer.environment() });
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.peer.stop();
  }
}

/** Both are there before these tests and closed after them; `prepare` runs before the service starts. */
export function useOpenIdService(
  algorithms: readonly string[] = ['RS256'],
  prepare: (peer: OpenIdPeer) => void = () => undefined,
): OpenIdService {
  const service = new OpenIdService();
  // One hook each, because each has its own time.
  beforeAll(() => service.openProvider(algorithms));
  beforeAll(async () => {
    prepare(service.peer);
    await service.openApp();
  });
  afterAll(() => service.close());
  return service;
}
