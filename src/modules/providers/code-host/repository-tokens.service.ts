import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import type { ProviderNet, ProviderSecret } from '../../integrations/index.ts';
import { failed } from '../wire/index.ts';
import { CodeHostApps } from './client.ts';
import { isSameName } from './settings.ts';

/** How long a token is used that is good for an hour. */
const KEPT_MS = 50 * 60_000;
const MOST_KEPT = 1_000;

/** For what a token is. */
export interface TokenFor {
  readonly integrationId: string;
  /** Of the credential: what was minted with another one is never used. */
  readonly credentialGeneration: number;
  /** `owner/name`. */
  readonly repository: string;
  readonly right: 'read' | 'write';
}

interface Kept {
  readonly token: Promise<string>;
  readonly untilMs: number;
}

/** Tokens with which Git is spoken: each good for one repository and one right, kept in this process only. */
@Injectable()
export class RepositoryTokensService {
  private readonly kept = new Map<string, Kept>();
  private readonly apps: CodeHostApps;

  constructor({ integrations }: Config) {
    this.apps = new CodeHostApps(integrations);
  }

  /** A person's own token is what it is; an installation gives one for this repository and right alone. */
  async tokenFor(wanted: TokenFor, secret: ProviderSecret, net: ProviderNet): Promise<string> {
    if (secret.kind === 'token') return secret['token']!;
    if (secret.kind !== 'app_installation') throw failed('credential_refused', { sent: false });
    const { integrationId, credentialGeneration, repository, right } = wanted;
    const key = [integrationId, credentialGeneration, repository.toLowerCase(), right].join(' ');
    const known = this.kept.get(key);
    if (known && known.untilMs > Date.now()) return known.token;
    const token = this.minted(wanted, secret['installationId']!, net);
    this.keep(key, { token, untilMs: Date.now() + KEPT_MS });
    // One that could not be had is asked for anew.
    token.catch(() => this.kept.delete(key));
    return token;
  }

  private async minted({ repository, right }: TokenFor, installationId: string, net: ProviderNet): Promise<string> {
    const [, name] = repository.split('/');
    const scope = { permissions: { contents: right, metadata: 'read' }, repositories: [name!] } as const;
    const { token, repositories } = await this.apps.mint(installationId, scope, net);
    // Another owner may have a repository of that name.
    if (repositories.length !== 1 || !isSameName(repositories[0]!, repository))
      throw failed('not_found', { status: 201 });
    return token;
  }

  /** The oldest goes where there are too many. */
  private keep(key: string, token: Kept): void {
    this.kept.delete(key);
    this.kept.set(key, token);
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value!);
  }
}
