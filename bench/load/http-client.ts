import { type Dispatcher, Pool } from 'undici';
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

  /** Not by `request`: with the stream that it makes of each answer, a call costs the load half as much again. */
  send({ method, path, body }: PreparedRequest): Promise<string> {
    const headers = body === undefined ? this.headers : { ...this.headers, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const answered = (status: number, text: string) => {
        if (status === 200 || status === 201) resolve(text);
        else reject(new Error(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`));
      };
      this.pool.dispatch({ method, path, headers, body: body ?? null }, new Answer(answered, reject));
    });
  }

  post(path: string, body: object): Promise<string> {
    return this.send({ method: 'POST', path, body: JSON.stringify(body) });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }
}

/** Gathers an answer. */
class Answer implements Dispatcher.DispatchHandler {
  private status = 0;
  private readonly chunks: Buffer[] = [];
  private readonly answered: (status: number, text: string) => void;
  private readonly failed: (error: Error) => void;

  constructor(answered: (status: number, text: string) => void, failed: (error: Error) => void) {
    this.answered = answered;
    this.failed = failed;
  }

  /** It is there because `undici` knows by it which of its interfaces this is. */
  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.answered(this.status, Buffer.concat(this.chunks).toString());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.failed(error);
  }
}
