import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { PublicServer } from '../../faults/public-server.ts';
import { SETTINGS_OF_NOBODY } from '../../test/support/git/git-settings.ts';
import { runGit } from '../../test/support/git/work-copy.ts';

const LISTS = 'api.github.com';
const FILE_BYTES = 10 * 1_024 * 1_024;

/** A code host at its own name: Git's own server, whose answers are passed on as they come, and what connecting takes of its lists. */
export class StreamingGitHost {
  readonly token = 'bench-token-of-the-host';
  private readonly folder: string;
  private server!: PublicServer;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async start(folder: string): Promise<StreamingGitHost> {
    const repositories = join(folder, 'repositories');
    mkdirSync(repositories);
    const host = new StreamingGitHost(repositories);
    host.server = await PublicServer.start(folder, ['github.com', LISTS], (request, response) =>
      host.answer(request, response),
    );
    return host;
  }

  /** By which the service, and a git that asks without it, reach the host. */
  get env(): Readonly<Record<string, string>> {
    return this.server.env;
  }

  /** A repository with so many bytes that nothing makes smaller. */
  async large(name: string, bytes: number): Promise<void> {
    await this.init(name);
    const child = spawn('git', ['fast-import', '--quiet'], {
      cwd: this.pathOf(name),
      env: SETTINGS_OF_NOBODY,
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.stdin.write('commit refs/heads/main\ncommitter Bench <bench@acme.example> 1700000000 +0000\ndata 5\nBegin\n');
    for (let left = bytes, n = 0; left > 0; left -= FILE_BYTES, n += 1) {
      child.stdin.write(`M 100644 inline file-${n}\ndata ${FILE_BYTES}\n`);
      if (!child.stdin.write(randomBytes(FILE_BYTES)))
        await new Promise((resolve) => child.stdin.once('drain', resolve));
      child.stdin.write('\n');
    }
    child.stdin.end();
    await ended;
  }

  /** A repository with so many branches, all at one commit. */
  async branchy(name: string, branches: number): Promise<void> {
    await this.init(name);
    const commit = 'commit refs/heads/main\ncommitter Bench <bench@acme.example> 1700000000 +0000\ndata 5\nBegin\n\n';
    await runGit(this.pathOf(name), ['fast-import', '--quiet'], commit);
    const tip = (await runGit(this.pathOf(name), ['rev-parse', 'main'])).toString().trim();
    const packed = createWriteStream(join(this.pathOf(name), 'packed-refs'));
    packed.write('# pack-refs with: peeled fully-peeled sorted \n');
    for (let n = 0; n < branches; n += 1) packed.write(`${tip} refs/heads/work-${String(n).padStart(6, '0')}\n`);
    await new Promise<void>((resolve) => packed.end(resolve));
  }

  stop(): void {
    this.server.stop();
  }

  private async init(name: string): Promise<void> {
    await runGit(this.folder, ['init', '--quiet', '--bare', '--initial-branch=main', this.pathOf(name)]);
    // What is measured is how bytes pass, not how they are packed.
    for (const setting of ['core.compression=0', 'pack.compression=0', 'pack.window=0', 'core.bigFileThreshold=1m'])
      await runGit(this.pathOf(name), ['config', ...setting.split('=')]);
  }

  private pathOf(name: string): string {
    return join(this.folder, `${name.toLowerCase()}.git`);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.host === LISTS) return this.list(request, response);
    const url = new URL(request.url!, 'https://github.com');
    const child = spawn('git', ['http-backend'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        ...SETTINGS_OF_NOBODY,
        GIT_PROJECT_ROOT: this.folder,
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: 'x-access-token',
        REQUEST_METHOD: request.method!,
        PATH_INFO: url.pathname.toLowerCase(),
        QUERY_STRING: url.search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: [request.headers['git-protocol'] ?? ''].flat()[0]!,
      },
    });
    void pipeline(request, child.stdin).catch(() => undefined);
    let head = Buffer.alloc(0);
    for await (const piece of child.stdout as AsyncIterable<Buffer>) {
      if (response.headersSent) {
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
        continue;
      }
      head = Buffer.concat([head, piece]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) continue;
      const lines = head.toString('latin1', 0, end).split('\r\n');
      const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
      const { Status: status = '200', ...others } = headers;
      response.writeHead(Number.parseInt(status, 10), others);
      response.write(head.subarray(end + 4));
    }
    response.end();
  }

  private list({ url }: IncomingMessage, response: ServerResponse): void {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(url === '/user' ? { id: 77, login: 'bench' } : []));
  }
}
