import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { askGitBackend, type BackendAnswer } from '../../../examples/git-host/git-backend.ts';
import { runGit } from '../git/work-copy.ts';
import type { Outside } from './outside.ts';

export const GIT_HOST = 'github.com';
const ZEROS = '0'.repeat(40);

/** A request that came, whether or not it was admitted. */
export interface GitRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Which of Git's two services it is for. */
  readonly service: 'git-upload-pack' | 'git-receive-pack' | null;
  readonly isDiscovery: boolean;
  /** As the host compares it: without case, without `.git`. */
  readonly repository: string;
  readonly headers: IncomingHttpHeaders;
  /** The password of the Basic credential. */
  readonly token: string | null;
  readonly body: Buffer;
}

/** What becomes of a request instead of an ordinary answer. */
export type Mishap =
  /** The connection breaks: before Git is asked, or after Git did what it was asked for. */
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  /** The effect happens; the connection breaks in the answer behind so many bytes. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** The head and so many bytes come, and then nothing. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** Answers later; the effect happens before the wait or after it. */
  | { readonly kind: 'delay'; readonly until: Promise<unknown> | number; readonly effect: 'before' | 'after' }
  /** Git is not asked. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Buffer;
    }
  /** What Git said, changed. */
  | { readonly kind: 'change'; readonly by: (answer: BackendAnswer) => BackendAnswer };

/**
 * A code host that speaks Git over HTTP by Git's own server, over bare repositories in a folder of its own. It admits nobody
 * without `x-access-token` and a token that it knows, asks for nothing else, and says nothing of REST, which is
 * `CodeHostPeer`'s. It is real Git, not the real host: limits, hooks and rules of branches of a host are not here.
 */
export class GitHostPeer {
  readonly requests: GitRequest[] = [];
  /** Those of each token: all repositories, or the ones that are named; without a right to write, fetches only. */
  readonly tokens = new Map<string, { readonly repositories?: readonly string[]; readonly write?: boolean }>();
  /** Asked of each admitted request. */
  mishap: ((request: GitRequest) => Mishap | undefined) | undefined;
  /** Knows tokens beside those in the map. */
  knows: ((token: string, request: GitRequest) => boolean) | undefined;

  private constructor(
    private readonly folder: string,
    private readonly reset: (request: IncomingMessage) => void,
  ) {}

  /** At its own name, over TLS. */
  static async start(outside: Outside, host = GIT_HOST): Promise<GitHostPeer> {
    const folder = await mkdtemp(join(tmpdir(), 'git-host-'));
    const peer = new GitHostPeer(folder, ({ socket }) => outside.reset(socket));
    await outside.host(host, peer.answer);
    return peer;
  }

  readonly answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming).catch(() => null);
    // Whoever asked went away in the body.
    if (body === null) return;
    const request = requestOf(incoming, body);
    this.requests.push(request);
    const refused = this.refusalOf(request);
    if (refused) return end(response, refused);
    const mishap = this.mishap?.(request);
    if (mishap?.kind === 'answer') return end(response, { body: Buffer.alloc(0), headers: {}, ...mishap });
    if (mishap?.kind === 'drop' && mishap.when === 'before') return this.reset(incoming);
    if (mishap?.kind === 'delay' && mishap.effect === 'after') await waited(mishap.until);
    const answer = await this.ask(request);
    if (mishap?.kind === 'delay' && mishap.effect === 'before') await waited(mishap.until);
    if (mishap?.kind === 'drop') return this.reset(incoming);
    if (mishap?.kind === 'change') return end(response, mishap.by(answer));
    if (mishap?.kind !== 'cut' && mishap?.kind !== 'stall') return end(response, answer);
    const { length } = answer.body;
    response.writeHead(answer.status, { ...answer.headers, 'content-length': String(length) });
    const begun = Promise.withResolvers<void>();
    response.write(answer.body.subarray(0, mishap.afterBytes), () => begun.resolve());
    await begun.promise;
    if (mishap.kind === 'cut') this.reset(incoming);
  };

  /** A bare repository that takes pushes, with no commit. */
  async create(name: string): Promise<HostedRepository> {
    const repository = this.repository(name);
    await runGit(this.folder, ['init', '--quiet', '--bare', '--initial-branch=main', repository.folder]);
    // As the real one shows trees without files.
    await repository.git(['config', 'uploadpack.allowFilter', 'true']);
    return repository;
  }

  repository(name: string): HostedRepository {
    return new HostedRepository(name, join(this.folder, `${name.toLowerCase()}.git`));
  }

  /** Requests that Git was asked for, in short: `GET git-upload-pack`, `POST git-receive-pack`. */
  get asked(): readonly string[] {
    return this.requests.map(({ method, service }) => `${method} ${service ?? '?'}`);
  }

  /** As it was before requests; repositories and tokens stay. */
  forget(): void {
    this.requests.length = 0;
    this.mishap = undefined;
  }

  async stop(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private refusalOf(request: GitRequest): BackendAnswer | undefined {
    const { token, service, repository } = request;
    if (service === null) return words(404, 'Not Found');
    const known = this.tokens.get(token ?? '');
    if (token === null || (!known && this.knows?.(token, request) !== true))
      return { ...words(401, 'Bad credentials'), headers: { 'www-authenticate': 'Basic realm="GitHub"' } };
    if (known?.repositories && !known.repositories.some((each) => each.toLowerCase() === repository))
      return words(404, 'Repository not found.');
    if (known && !known.write && service === 'git-receive-pack') return words(403, 'Write access is not granted.');
    return undefined;
  }

  private ask({ method, query, headers, body, repository, service, isDiscovery }: GitRequest): Promise<BackendAnswer> {
    const path = `/${repository}.git/${isDiscovery ? 'info/refs' : service}`;
    return askGitBackend(this.folder, { method, path, query, headers, body });
  }
}

/** A look at a repository of the host, past everybody who asks it. */
export class HostedRepository {
  constructor(
    readonly name: string,
    readonly folder: string,
  ) {}

  git(args: readonly string[], input: string | Buffer = ''): Promise<Buffer> {
    return runGit(this.folder, args, input);
  }

  /** Where a branch stands. */
  async branch(name: string): Promise<string | null> {
    const said = await this.git(['for-each-ref', '--format=%(objectname)', `refs/heads/${name}`]);
    return said.toString().trim() || null;
  }

  /** All refs with their objects. */
  async refs(): Promise<Readonly<Record<string, string>>> {
    const said = (await this.git(['for-each-ref', '--format=%(refname) %(objectname)'])).toString().trim();
    return Object.fromEntries(said ? said.split('\n').map((line) => line.split(' ') as [string, string]) : []);
  }

  /** Writes a commit onto a branch, as somebody else would; its id. */
  async commit(branch: string, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
    const parent = await this.branch(branch);
    const pieces: (string | Buffer)[] = [`commit refs/heads/${branch}\n`];
    pieces.push(`committer Somebody <somebody@acme.example> ${1_700_000_000 + (await this.age())} +0000\n`);
    pieces.push('data 6\nChange\n', ...(parent ? [`from ${parent}\n`] : []));
    for (const [file, text] of Object.entries(files))
      pieces.push(`M 100644 inline ${file}\n`, `data ${Buffer.byteLength(text)}\n`, text, '\n');
    await this.git(['fast-import', '--quiet'], Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
    return (await this.branch(branch))!;
  }

  /** Moves a branch to an object, or away, past its own rules. */
  async point(branch: string, oid: string): Promise<void> {
    const ref = `refs/heads/${branch}`;
    await this.git(oid === ZEROS ? ['update-ref', '-d', ref] : ['update-ref', ref, oid]);
  }

  private async age(): Promise<number> {
    return Number((await this.git(['rev-list', '--all', '--count'])).toString());
  }
}

function requestOf(incoming: IncomingMessage, body: Buffer): GitRequest {
  const url = new URL(incoming.url!, `https://${GIT_HOST}`);
  const [, name = '', rest = ''] =
    /^\/([^/]+\/[^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(url.pathname) ?? [];
  const service = rest === 'info/refs' ? url.searchParams.get('service') : rest;
  const basic = /^Basic (\S+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
  const [user, ...password] = Buffer.from(basic, 'base64').toString().split(':');
  return {
    method: incoming.method!,
    path: url.pathname,
    query: url.search.slice(1),
    service: service === 'git-upload-pack' || service === 'git-receive-pack' ? service : null,
    isDiscovery: rest === 'info/refs',
    repository: name.toLowerCase(),
    headers: incoming.headers,
    token: user === 'x-access-token' ? password.join(':') : null,
    body,
  };
}

function words(status: number, body: string): BackendAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from(`${body}\n`) };
}

function end(
  response: ServerResponse,
  { status, headers, body }: Omit<BackendAnswer, 'body'> & { body: string | Buffer },
) {
  response.writeHead(status, headers).end(body);
}

async function waited(until: Promise<unknown> | number): Promise<void> {
  await (typeof until === 'number' ? sleep(until) : until);
}
