import type { KeyObject } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { SignJWT } from 'jose';
import type { Config } from '../../../config/index.ts';
import {
  conflict,
  IntegrationIssues,
  ProviderFailure,
  type ProviderNet,
  type ProviderSecret,
} from '../../integrations/index.ts';
import {
  ask,
  failed,
  isObject,
  type JsonObject,
  type ProviderAnswer,
  type ProviderRequest,
  requireShape,
} from '../wire/index.ts';
import { refusalOf } from './code-host-errors.ts';
import { API_VERSION, apiUrlOf } from './manifest.ts';

/** The app of the deployment, whose installations owners connect. */
interface CodeHostApp {
  readonly id: string;
  readonly key: KeyObject;
}

export type CodeHostConfig = Pick<Config['integrations'], 'codeHostApp' | 'codeHostLocalOrigin'>;

export interface Repository {
  readonly fullName: string;
  readonly name: string;
  readonly owner: string;
  readonly defaultBranch: string;
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
}

/** What a token of an installation may do. */
export interface TokenScope {
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>;
  /** Names without their owner; all repositories of the installation without. */
  readonly repositories?: readonly string[];
}

export interface InstallationToken {
  readonly token: string;
  readonly expiresAtMs: number;
  readonly selection: string;
  /** Full names, where the token was asked for some. */
  readonly repositories: readonly string[];
}

export const READS: TokenScope['permissions'] = { contents: 'read', metadata: 'read' };

/** The app's word for itself is good so long; the host takes ten minutes. */
const WORD_SECONDS = 540;
/** For clocks that go before ours. */
const SKEW_SECONDS = 60;
/** Of a page of repositories. */
const MOST_PAGE_BYTES = 4 * 1_024 * 1_024;

const logger = new Logger('CodeHost');

/** Gets tokens of installations in the name of the deployment's app. */
export class CodeHostApps {
  readonly apiUrl: string;
  private readonly app: CodeHostApp | undefined;

  constructor({ codeHostApp, codeHostLocalOrigin }: CodeHostConfig) {
    this.app = codeHostApp;
    this.apiUrl = apiUrlOf(codeHostLocalOrigin);
  }

  /** A token of an installation; 409 `not_configured` where the deployment has no app. */
  async mint(installationId: string, scope: TokenScope, net: ProviderNet): Promise<InstallationToken> {
    const { app } = this;
    if (!app)
      throw conflict(
        IntegrationIssues.notConfigured,
        'The deployment has no app for this (CODE_HOST_APP_ID); ask its operator.',
      );
    const url = new URL(`${this.apiUrl}/app/installations/${installationId}/access_tokens`);
    const answer = await asked(net, { method: 'POST', url, body: scope }, await wordOf(app)).catch((error: unknown) => {
      throw ofApp(error);
    });
    const { body } = answer;
    requireShape(isObject(body) && typeof body['token'] === 'string' && body['token'] !== '', answer);
    const expiresAtMs = Date.parse(String(body['expires_at']));
    requireShape(!Number.isNaN(expiresAtMs), answer);
    const repositories = scope.repositories ? listIn(answer, body['repositories']) : [];
    return {
      token: body['token'],
      expiresAtMs,
      selection: body['repository_selection'] === 'selected' ? 'selected' : 'all',
      repositories: repositories.map(({ full_name: name }) => String(name)),
    };
  }
}

function wordOf({ id, key }: CodeHostApp): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(id)
    .setIssuedAt(now - SKEW_SECONDS)
    .setExpirationTime(now + WORD_SECONDS)
    .sign(key);
}

/** An app that the host does not know is the operator's to mend; an installation that it does not know was removed. */
function ofApp(error: unknown): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const { code, status } = error.failure;
  if (code === 'not_found') return new ProviderFailure({ ...error.failure, code: 'credential_refused' });
  if (status !== 401) return error;
  logger.error('the code host refuses the app of the deployment (CODE_HOST_APP_ID, CODE_HOST_APP_KEY)');
  return new ProviderFailure({ ...error.failure, code: 'unavailable' });
}

/** Asks the host with one token. */
export class CodeHostClient {
  private constructor(
    private readonly token: string,
    private readonly net: ProviderNet,
    private readonly apiUrl: string,
    /** What lists the repositories that the token reaches. */
    private readonly list: string,
    readonly installation: { readonly id: string; readonly selection: string } | undefined,
  ) {}

  /** With the token of a person, or one that an installation gives for reading. */
  static async of(secret: ProviderSecret, apps: CodeHostApps, net: ProviderNet): Promise<CodeHostClient> {
    if (secret.kind === 'token')
      return new CodeHostClient(secret['token']!, net, apps.apiUrl, '/user/repos', undefined);
    if (secret.kind !== 'app_installation') throw failed('credential_refused', { sent: false });
    const id = secret['installationId']!;
    const { token, selection } = await apps.mint(id, { permissions: READS }, net);
    return new CodeHostClient(token, net, apps.apiUrl, '/installation/repositories', { id, selection });
  }

  async user(): Promise<{ readonly id: string; readonly login: string }> {
    const answer = await this.get('/user');
    const { body } = answer;
    requireShape(isObject(body) && typeof body['login'] === 'string', answer);
    const id = String(body['id']);
    requireShape(/^\d{1,20}$/.test(id), answer);
    return { id, login: body['login'] };
  }

  /** One page of the repositories that the token reaches. */
  async repositories(
    page: number,
    pageSize: number,
  ): Promise<{ readonly items: readonly Repository[]; readonly hasNext: boolean }> {
    const query = { per_page: String(pageSize), page: String(page) };
    const answer = await this.get(this.list, query, { maxBytes: MOST_PAGE_BYTES });
    const { body, headers } = answer;
    const list = this.installation ? (isObject(body) ? body['repositories'] : undefined) : body;
    const items = listIn(answer, list).map((each) => repositoryOf(answer, each));
    // Only that there is a next page is read: its address is never followed.
    return { items, hasNext: /(?:^|,)[^,]*;\s*rel="next"/.test(headers.get('link') ?? '') };
  }

  async repository(fullName: string): Promise<Repository> {
    const answer = await this.get(`/repos/${fullName}`);
    requireShape(isObject(answer.body), answer);
    return repositoryOf(answer, answer.body);
  }

  private get(
    path: string,
    query: Readonly<Record<string, string>> = {},
    bounds: Pick<ProviderRequest, 'maxBytes'> = {},
  ): Promise<ProviderAnswer> {
    const url = new URL(`${this.apiUrl}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return asked(this.net, { method: 'GET', url, ...bounds }, this.token);
  }
}

function asked(net: ProviderNet, request: ProviderRequest, token: string): Promise<ProviderAnswer> {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'x-github-api-version': API_VERSION,
  };
  return ask(net, { ...request, headers }, refusalOf);
}

function listIn(answer: ProviderAnswer, list: unknown): readonly JsonObject[] {
  requireShape(Array.isArray(list) && list.every(isObject), answer);
  return list;
}

const FULL_NAME = /^([A-Za-z0-9][A-Za-z0-9-]{0,99})\/([A-Za-z0-9._-]{1,100})$/;

function repositoryOf(answer: ProviderAnswer, each: JsonObject): Repository {
  const { full_name: fullName, default_branch: defaultBranch } = each;
  requireShape(typeof fullName === 'string' && typeof defaultBranch === 'string', answer);
  const [, owner, name] = FULL_NAME.exec(fullName) ?? [];
  requireShape(owner !== undefined && name !== undefined, answer);
  return {
    fullName,
    owner,
    name,
    defaultBranch,
    isPrivate: each['private'] === true,
    isArchived: each['archived'] === true,
  };
}
