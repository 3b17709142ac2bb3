import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { Authority } from './authority.ts';
import { LOCAL_TRIAL } from './receiver.ts';

/** Answers a request, or leaves it without an answer. */
export type Serving = string | Buffer | ((request: IncomingMessage, response: ServerResponse) => unknown);

/** An https site on this machine that a trial may reach. */
export class Website {
  /** What it serves, by path; 404 elsewhere. */
  readonly pages = new Map<string, Serving>();
  /** Paths in the order in which they were asked for. */
  readonly asked: string[] = [];
  origin = '';
  env: Readonly<Record<string, string>> = {};
  private server: ReturnType<typeof createServer> | undefined;

  async open(): Promise<void> {
    const authority = await Authority.create();
    this.server = createServer(await authority.identity(['localhost']), (...given) => this.serve(...given));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const { port } = this.server.address() as AddressInfo;
    const file = join(process.env.TEST_FOLDER!, `website-${port}.pem`);
    writeFileSync(file, authority.pem);
    this.origin = `https://localhost:${port}`;
    this.env = { ...LOCAL_TRIAL, EGRESS_LOCAL_PEERS: this.origin, EGRESS_LOCAL_CA_FILE: file };
  }

  close(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  /** Serves only this from now on, and forgets what was asked. */
  become(pages: Readonly<Record<string, Serving>>): void {
    this.pages.clear();
    for (const [path, page] of Object.entries(pages)) this.pages.set(path, page);
    this.asked.length = 0;
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    this.asked.push(request.url!);
    const page = this.pages.get(request.url!);
    if (typeof page === 'function') page(request, response);
    else if (page === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('<p>not here</p>');
    else response.end(page);
  }
}

export function useWebsite(): Website {
  const website = new Website();
  beforeAll(() => website.open());
  afterAll(() => website.close());
  return website;
}
