import { Injectable } from '@nestjs/common';
import { Config, isLoopback } from '../../config/index.ts';
import { conflict, IntegrationIssues } from '../integrations/index.ts';
import type { Callback } from './oauth.state.ts';

/** Where browsers come back to: below the deployment's own address, never below one that a request names. */
@Injectable()
export class RedirectsService {
  private readonly base: URL | undefined;

  constructor(config: Config) {
    const url = config.publicBaseUrl === undefined ? undefined : new URL(config.publicBaseUrl);
    const isSafe = url?.protocol === 'https:' || (url !== undefined && isLoopback(url.hostname));
    this.base = isSafe ? url : undefined;
  }

  /** The address of a callback; 409 `not_configured` without an address of the deployment. */
  to(callback: Callback): string {
    const address = this.ofCallback(callback);
    if (address === undefined)
      throw conflict(
        IntegrationIssues.notConfigured,
        'The deployment does not say at which https address browsers reach it (PUBLIC_BASE_URL); ask its operator.',
      );
    return address;
  }

  ofCallback(callback: Callback): string | undefined {
    return this.base && `${this.prefix}/oauth/${callback}/callback`;
  }

  /** The address of the service's own client metadata; undefined where nobody could read it by https. */
  get clientDocument(): string | undefined {
    return this.base?.protocol === 'https:' ? `${this.prefix}/oauth/client-metadata.json` : undefined;
  }

  get origin(): string | undefined {
    return this.base?.origin;
  }

  /** Whether browsers keep cookies of the deployment's address to encrypted connections. */
  get isSecure(): boolean {
    return this.base?.protocol === 'https:';
  }

  /** The path below which cookies of authorizations are sent. */
  get cookiePath(): string {
    return this.base ? new URL(`${this.prefix}/oauth`).pathname : '/oauth';
  }

  private get prefix(): string {
    return this.base!.href.replace(/\/+$/, '');
  }
}
