import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { askGitBackend } from '../../examples/git-host/git-backend.ts';
import { runGit } from '../../test/support/git/work-copy.ts';
import { PublicServer } from '../public-server.ts';
import type { Random } from '../random.ts';

const GIT = 'github.com';
const LISTS = 'api.github.com';
const LONGEST_ANSWER_MS = 250;
/** Some looks fail for now. */
const LOOK_FAILS = 0.04;
/** How long a host goes on behind a dead connection before it takes the push. */
const LATE_MS = 3_000;
const PUSHES_A_ROUND = 10;

/** What becomes of a push; of the others the host answers. */
export type Manner = 'answers' | 'drops before' | 'drops before, and goes on' | 'drops after';

/** A push whose request was read to its end. */
export interface ReceivedPush {
  readonly newOid: string;
  readonly ref: string;
  readonly manner: Manner;
}

/**
 * A code host: Git's own server over a bare repository, and as much of its lists as connecting takes. Of every ten pushes it
 * drops one before Git is asked, every other time to go on with it later, and one after Git took it.
 */
export class GitHost {
  static readonly repository = 'Faults/Shop';
  readonly token = 'faults-token-of-the-host';
  readonly received: ReceivedPush[] = [];
  /** Whether every look succeeds. */
  calm = false;
  private readonly folder: string;
  private readonly random: Random;
  private readonly later: Promise<unknown>[] = [];
  private server!: PublicServer;

  private constructor(folder: string, random: Random) {
    this.folder = folder;
    this.random = random;
  }

  /** With a commit on `main`. `folder` gets its certificate, for the service to trust, and its repository. */
  static async start(folder: string, random: Random): Promise<GitHost> {
    const repositories = join(folder, 'git-host');
    mkdirSync(repositories);
    const host = new GitHost(repositories, random);
    await runGit(repositories, ['init', '--quiet', '--bare', '--initial-branch=main', host.repositoryFolder]);
    await host.git(['config', 'uploadpack.allowFilter', 'true']);
    const commit =
      'commit refs/heads/main\ncommitter Somebody <somebody@acme.example> 1700000000 +0000\ndata 5\nBegin\n';
    await host.git(['fast-import', '--quiet'], `${commit}M 100644 inline README.md\ndata 5\nShop\n\n`);
    host.server = await PublicServer.start(folder, [GIT, LISTS], (request, response) => host.answer(request, response));
    return host;
  }

  /** By which the service reaches it. */
  get env(): Readonly<Record<string, string>> {
    return this.server.env;
  }

  git(args: readonly string[], input = ''): Promise<Buffer> {
    return runGit(this.repositoryFolder, args, input);
  }

  /** Branches where `main` is. */
  async branch(count: number): Promise<string[]> {
    const names = Array.from({ length: count }, (_, each) => `work-${each + 1}`);
    const main = (await this.git(['rev-parse', 'main'])).toString().trim();
    await this.git(['update-ref', '--stdin'], names.map((name) => `create refs/heads/${name} ${main}\n`).join(''));
    return names;
  }

  /** Where all branches stand, once nothing is under way behind dead connections. */
  async branches(): Promise<ReadonlyMap<string, string>> {
    await Promise.all(this.later);
    const lines = (await this.git(['for-each-ref', '--format=%(refname) %(objectname)'])).toString().trim().split('\n');
    return new Map(lines.map((line) => line.split(' ') as [string, string]));
  }

  stop(): void {
    this.server.stop();
  }

  private get repositoryFolder(): string {
    return join(this.folder, `${GitHost.repository.toLowerCase()}.git`);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A process that is killed while it sends closes the connection within the body: nothing has happened then.
    const body = await buffer(request);
    if (request.headers.host === LISTS) return this.list(request, response);
    const url = new URL(request.url!, `https://${GIT}`);
    const asked = {
      method: request.method!,
      path: url.pathname.toLowerCase(),
      query: url.search.slice(1),
      headers: request.headers,
      body,
    };
    const manner = this.mannerOf(asked.method, asked.path, body);
    if (manner === 'fails') return void response.writeHead(503).end();
    if (manner?.startsWith('drops before')) {
      request.socket.destroy();
      if (manner === 'drops before, and goes on')
        this.later.push(wait(LATE_MS).then(() => askGitBackend(this.folder, asked)));
      return;
    }
    const answer = await askGitBackend(this.folder, asked);
    await wait(this.random.between(0, LONGEST_ANSWER_MS));
    if (manner === 'drops after') return void request.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  /** Notes a push, and says what becomes of it. */
  private mannerOf(method: string, path: string, body: Buffer): Manner | 'fails' | undefined {
    if (method !== 'POST' || !path.endsWith('/git-receive-pack')) {
      return !this.calm && this.random.chance(LOOK_FAILS) ? 'fails' : undefined;
    }
    const [, newOid = '', ref = ''] = /[0-9a-f]{40} ([0-9a-f]{40}) (\S+?)\0/.exec(body.toString('latin1')) ?? [];
    const manner = mannerOfPush(this.received.length);
    this.received.push({ newOid, ref, manner });
    return manner;
  }

  private list({ url, headers }: IncomingMessage, response: ServerResponse): void {
    if (headers.authorization !== `Bearer ${this.token}`) return void response.writeHead(401).end('{}');
    const [name] = GitHost.repository.split('/').slice(1);
    const repository = {
      id: 1,
      full_name: GitHost.repository,
      name,
      html_url: `https://${GIT}/${GitHost.repository}`,
      default_branch: 'main',
      private: true,
      archived: false,
      owner: { login: GitHost.repository.split('/')[0] },
    };
    const answer = url === '/user' ? { id: 77, login: 'faults' } : [repository];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }
}

function mannerOfPush(n: number): Manner {
  const isOdd = Math.floor(n / PUSHES_A_ROUND) % 2 === 1;
  if (n % PUSHES_A_ROUND === 2) return isOdd ? 'drops before, and goes on' : 'drops before';
  return n % PUSHES_A_ROUND === 7 ? 'drops after' : 'answers';
}
