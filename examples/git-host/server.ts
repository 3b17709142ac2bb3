/**
 * A code host on this machine, with one repository: Git over HTTP by Git's own server, and below `/api/v3` as much of the
 * interface of the real host as the service asks. It takes one token.
 *
 *   GIT_HOST_TOKEN=… REPOSITORIES_DIR=repositories PORT=8788 npm run git-host
 *
 * Prints a line for each push that it takes.
 */
import { execFileSync } from 'node:child_process';
import { createHash, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { askGitBackend } from './git-backend.ts';

/** What the repository begins with; the same commit each time. */
const README = '# Shop\n\nWhat our customers order, and what they say about it.\n';
const BEGINNING = [
  'commit refs/heads/main',
  'committer Owner <owner@demo.example> 1767225600 +0000',
  'data 10\nBegin here',
  'M 100644 inline README.md',
  `data ${README.length}\n${README}`,
].join('\n');
const MOST_BYTES = 64 * 1_024 * 1_024;

const { GIT_HOST_TOKEN, REPOSITORIES_DIR = 'repositories', REPOSITORY = 'demo/shop', PORT = '8788' } = process.env;
if (!GIT_HOST_TOKEN || !/^[\w-]+\/[\w-]+$/.test(REPOSITORY)) {
  console.error('Usage: GIT_HOST_TOKEN=… [REPOSITORIES_DIR=repositories] [REPOSITORY=demo/shop] npm run git-host');
  process.exit(2);
}

const bare = join(REPOSITORIES_DIR, `${REPOSITORY}.git`);
const digest = (text: string) => createHash('sha256').update(text).digest();
const accepted = [`Bearer ${GIT_HOST_TOKEN}`, `Basic ${btoa(`x-access-token:${GIT_HOST_TOKEN}`)}`].map(digest);

function begin(): void {
  if (existsSync(bare)) return;
  mkdirSync(bare, { recursive: true });
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  // As the real host does: whoever approves a push is shown what it changes.
  execFileSync('git', ['-C', bare, 'config', 'uploadpack.allowFilter', 'true']);
  execFileSync('git', ['-C', bare, 'fast-import', '--quiet'], { input: BEGINNING });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url!, 'http://localhost');
  const given = digest(request.headers.authorization ?? '');
  if (!accepted.some((each) => timingSafeEqual(each, given)))
    return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  if (pathname.startsWith('/api/v3/')) return tell(pathname.slice('/api/v3'.length), response);
  const [, name, path] =
    /^\/([\w-]+\/[\w-]+?)(?:\.git)?\/(info\/refs|git-(?:upload|receive)-pack)$/.exec(pathname) ?? [];
  if (name?.toLowerCase() !== REPOSITORY.toLowerCase()) return void response.writeHead(404).end();
  if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) return void response.writeHead(413).end();
  const body = await buffer(request);
  const asked = {
    method: request.method!,
    path: `/${REPOSITORY}.git/${path}`,
    query: search.slice(1),
    headers: request.headers,
    body,
  };
  const { status, headers, body: said } = await askGitBackend(REPOSITORIES_DIR, asked);
  if (path === 'git-receive-pack') console.log(`took ${body.length} bytes of a push`);
  response.writeHead(status, headers).end(said);
}

/** Whose token it is, and what it reaches. */
function tell(path: string, response: ServerResponse): void {
  const repository = {
    full_name: REPOSITORY,
    name: REPOSITORY.split('/')[1],
    default_branch: 'main',
    private: true,
    archived: false,
  };
  const known: Readonly<Record<string, object>> = {
    '/user': { id: 1, login: 'owner' },
    '/user/repos': [repository],
    [`/repos/${REPOSITORY}`]: repository,
  };
  const found = known[path];
  response
    .writeHead(found ? 200 : 404, { 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(found ?? { message: 'Not Found' }));
}

begin();
const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : PORT;
  console.log(`listening at http://localhost:${port}, with the repository ${REPOSITORY}`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
