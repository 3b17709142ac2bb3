import { generateKeyPairSync, verify } from 'node:crypto';
import { API_HOST, API_VERSION } from '../../../../src/modules/providers/code-host/manifest.ts';
import type { Outside } from '../outside.ts';
import {
  type PeerAnswer,
  type PeerRequest,
  requireMembers,
  requireQuery,
  StrictHttpPeer,
  UnknownPart,
} from './strict-http-peer.ts';

const APP_ID = '4711';
const HOUR_MS = 3_600_000;

interface FakeRepository {
  readonly defaultBranch?: string;
  /** Status with which it is answered. */
  readonly status?: number;
}

/**
 * The lists and tokens of the code host, over TLS at its own name, as the provider's sheet has them. The app's signature is
 * verified for real; permissions, the names of tokens and which repositories are there are made up here. It speaks no Git.
 */
export class CodeHostPeer extends StrictHttpPeer {
  readonly token = 'CANARY-github_pat_5Rf8Tg2Yh6';
  readonly installation = '51234567';
  /** Those of the installation and of the person. */
  readonly own = new Map<string, FakeRepository>();
  /** Public ones of others, which every token reads. */
  readonly foreign = new Set<string>();
  user = { id: 77, login: 'ada' };
  /** Tokens that installations gave, with what each is for. */
  readonly minted: unknown[] = [];
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });

  static async start(outside: Outside): Promise<CodeHostPeer> {
    const peer = new CodeHostPeer();
    await outside.host(API_HOST, peer.answer);
    return peer;
  }

  /** The settings of a deployment that has the app. */
  get env(): Readonly<Record<string, string>> {
    const key = this.keys.privateKey.export({ format: 'pem', type: 'pkcs1' });
    return { CODE_HOST_APP_ID: APP_ID, CODE_HOST_APP_KEY: key.replaceAll('\n', String.raw`\n`) };
  }

  protected reply(request: PeerRequest): PeerAnswer {
    const { method, path, headers, query } = request;
    if (headers['user-agent'] !== 'service-integration') return { status: 403 };
    if (headers['x-github-api-version'] !== API_VERSION) return { status: 410 };
    if (headers.accept !== 'application/vnd.github+json') throw new UnknownPart('another type is wanted');
    const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const minting = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path);
    if (method === 'POST' && minting) return this.mint(minting[1]!, token, request.body);
    const isMinted = /^CANARY-ghs_\d+$/.test(token);
    if (token !== this.token && !isMinted) return { status: 401, body: { message: 'Bad credentials CANARY-text' } };
    const repository = /^\/repos\/([^/]+\/[^/]+)$/.exec(path);
    if (method === 'GET' && repository) {
      requireQuery(query);
      return this.one(repository[1]!);
    }
    if (method !== 'GET') throw new UnknownPart('the call is unknown');
    if (path === '/user' && !isMinted) return { body: this.user };
    if (path === '/user/repos' && !isMinted) return this.page(query, (repositories) => repositories);
    if (path === '/installation/repositories' && isMinted)
      return this.page(query, (repositories) => ({
        total_count: this.own.size,
        repository_selection: 'selected',
        repositories,
      }));
    throw new UnknownPart('the call is unknown');
  }

  private mint(id: string, token: string, asked: unknown): PeerAnswer {
    if (!this.isWordOfApp(token)) return { status: 401, body: { message: 'CANARY-text' } };
    if (id !== this.installation) return { status: 404, body: { message: 'CANARY-text' } };
    requireMembers(asked, 'permissions', 'repositories');
    const { permissions, repositories } = asked as { permissions: object; repositories?: readonly string[] };
    const names = repositories?.map((name) =>
      [...this.own.keys()].find((each) => each.toLowerCase().endsWith(`/${name.toLowerCase()}`)),
    );
    if (names?.includes(undefined)) return { status: 422, body: { message: 'CANARY-text' } };
    this.minted.push(asked);
    return {
      status: 201,
      body: {
        token: `CANARY-ghs_${this.minted.length}`,
        expires_at: new Date(Date.now() + HOUR_MS).toISOString(),
        permissions,
        repository_selection: 'selected',
        ...(names ? { repositories: names.map((name) => shown(name!, {})) } : {}),
      },
    };
  }

  private isWordOfApp(token: string): boolean {
    const [head = '', claims = '', signature = ''] = token.split('.');
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      this.keys.publicKey,
      Buffer.from(signature, 'base64url'),
    );
    if (!isSigned) return false;
    const { iss, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
      string,
      number | string
    >;
    return iss === APP_ID && Number(exp) - Number(iat) <= 600 && Number(exp) > Date.now() / 1_000;
  }

  private one(name: string): PeerAnswer {
    const spelled = [...this.own.keys(), ...this.foreign].find((each) => each.toLowerCase() === name.toLowerCase());
    if (spelled === undefined) return { status: 404, body: { message: 'CANARY-text' } };
    const { status = 200, ...repository } = this.own.get(spelled) ?? {};
    if (status === 301) return { status, headers: { location: `https://${API_HOST}/repositories/1` } };
    return status === 200 ? { body: shown(spelled, repository) } : { status, body: { message: 'CANARY-text' } };
  }

  private page(query: URLSearchParams, bodyOf: (repositories: readonly object[]) => object): PeerAnswer {
    requireQuery(query, 'per_page', 'page');
    const [size, page] = [Number(query.get('per_page') ?? '30'), Number(query.get('page') ?? '1')];
    const all = [...this.own].map(([name, repository]) => shown(name, repository));
    const hasNext = all.length > size * page;
    const link = `<https://CANARY.example/?page=9>; rel="prev", <https://CANARY.example/?page=99>; rel="next"`;
    return { body: bodyOf(all.slice(size * (page - 1), size * page)), headers: hasNext ? { link } : {} };
  }
}

function shown(name: string, { defaultBranch = 'main' }: FakeRepository): object {
  return {
    id: 1,
    full_name: name,
    name: name.split('/')[1],
    html_url: 'https://CANARY.example',
    default_branch: defaultBranch,
    private: true,
    archived: false,
    permissions: { pull: true },
  };
}
