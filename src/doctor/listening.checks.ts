import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../config/index.ts';
import { explainListening } from '../listening.ts';
import { failure, type Finding, ok } from './finding.ts';

const ANSWER_LIMIT_MS = 2_000;

/** Listens for a moment where the service would, unless the service itself does so already. */
export async function* checkListening({ host, port }: Config): AsyncGenerator<Finding> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    yield ok('PORT', port === 0 ? 'a free one is taken' : `${port} is free on ${host}`);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    yield isTaken && (await isService(host, port))
      ? ok('PORT', `the service answers on ${port} already`)
      : failure('PORT', explainListening(error, { port }));
  } finally {
    server.close();
  }
}

async function isService(host: string, port: number): Promise<boolean> {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}/health/live`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    const body = (await answer.json()) as { data?: { status?: string } };
    return body.data?.status === 'live';
  } catch {
    return false;
  }
}
