import type pg from 'pg';
import { ApiError } from '../errors/index.ts';
import { type StatementsSpan, statementsSpan } from '../tracing/index.ts';
import { Batch } from './batch.ts';

type Work<T> = (client: pg.PoolClient) => Promise<T>;

/** Runs work on a lent connection, as one span where the request or job that it is done for is traced. */
export function traced<T>(client: pg.PoolClient, work: Work<T>): Promise<T> {
  const span = statementsSpan();
  return span ? recorded(span, client, work) : work(client);
}

async function recorded<T>(span: StatementsSpan, client: pg.PoolClient, work: Work<T>): Promise<T> {
  try {
    const result = await work(noting(client, span));
    span.end();
    return result;
  } catch (error) {
    // A refusal that the work decided on is no failure of its statements.
    span.end(error instanceof ApiError ? undefined : error);
    throw error;
  }
}

/** The same connection, but that the span notes what is sent over it. */
function noting(client: pg.PoolClient, span: StatementsSpan): pg.PoolClient {
  const query = (...args: [unknown]): unknown => {
    const [what] = args;
    if (what instanceof Batch) for (const text of what.texts) span.note(text);
    else span.note(typeof what === 'string' ? what : (what as pg.QueryConfig).text);
    return (client.query as (...given: unknown[]) => unknown)(...args);
  };
  return Object.create(client, { query: { value: query } }) as pg.PoolClient;
}
