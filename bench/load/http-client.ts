import { Pool } from 'undici';
import type { PreparedRequest } from './job.ts';

/** A caller over kept-alive connections, one call at a time on each; answers the body and refuses other statuses than 200 and 201. */
export class HttpClient {
  private static readonly kept = new Map<string, HttpClient>();

  private readonly pool: Pool;
  private readonly headers: Record<string, string>;

  constructor(baseUrl: string, token: string, connections: number) {
    this.pool = new Pool(baseUrl, { connections, pipelining: 1, keepAliveTimeout: 60_000 });
    this.headers = { authorization: `Bearer ${token}` };
  }

  /** One that is kept, so that no measurement pays for its connections. */
  static of(baseUrl: string, token: string, connections: number): HttpClient {
    const key = [baseUrl, token, connections].join(' ');
    const client = HttpClient.kept.get(key) ?? new HttpClient(baseUrl, token, connections);
    HttpClient.kept.set(key, client);
    return client;
  }

  async send({ method, path, body }: PreparedRequest): Promise<string> {
    const headers = body === undefined ? this.headers : { ...this.headers, 'content-type': 'application/json' };
    const answer = await this.pool.request({ method, path, headers, body: body ?? null });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 && answer.statusCode !== 201)
      throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 500)}`);
    return text;
  }

  post(path: string, body: object): Promise<string> {
    return this.send({ method: 'POST', path, body: JSON.stringify(body) });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }
}
