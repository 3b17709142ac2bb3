import { spawn } from 'node:child_process';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface BackendRequest {
  readonly method: string;
  /** Below the folder of repositories, such as `/acme/shop.git/info/refs`. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

export interface BackendAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Has Git's own server answer, which it does as a CGI program: over the bare repositories of a folder. */
export async function askGitBackend(folder: string, request: BackendRequest): Promise<BackendAnswer> {
  const { method, path, query, headers, body } = request;
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH ?? '',
      // Settings of nobody's machine.
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      // Whoever has a name may push.
      REMOTE_USER: 'x-access-token',
      REMOTE_ADDR: '127.0.0.1',
      REQUEST_METHOD: method,
      PATH_INFO: path,
      QUERY_STRING: query,
      CONTENT_TYPE: headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.length),
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: [headers['git-protocol'] ?? ''].flat()[0]!,
    },
  });
  child.stdin.on('error', () => undefined).end(body);
  return answerIn(await buffer(child.stdout));
}

function answerIn(said: Buffer): BackendAnswer {
  const end = said.indexOf('\r\n\r\n');
  if (end < 0) return { status: 500, headers: {}, body: Buffer.alloc(0) };
  const lines = said.toString('latin1', 0, end).split('\r\n');
  const { status = '200', ...headers } = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  ) as Record<string, string>;
  return { status: Number(status.split(' ')[0]), headers, body: said.subarray(end + 4) };
}
