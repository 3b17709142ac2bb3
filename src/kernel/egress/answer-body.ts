import type { Dispatcher } from 'undici';
import { Refused } from './refused.ts';

/** Statuses whose answers have no body, whatever their headers announce. */
const BODILESS = new Set([204, 304]);

/** How much of a body is read, and what becomes of a longer one. */
export interface BodyBound {
  readonly maxBytes: number;
  readonly cutsBody: boolean;
}

/** Reads the body of an answer; refuses one that is compressed or announces too much before a byte of it is read. */
export async function bodyOf(method: string, answer: Dispatcher.ResponseData, bound: BodyBound): Promise<Buffer> {
  refuseUnreadable(method, answer, bound);
  return bound.cutsBody ? beginningOf(answer.body, bound.maxBytes) : Buffer.from(await answer.body.arrayBuffer());
}

/** Refuses a body that is compressed, or announces more than may be read. */
export function refuseUnreadable(
  method: string,
  { statusCode, headers }: Dispatcher.ResponseData,
  { maxBytes, cutsBody }: BodyBound,
): void {
  const coding = headers['content-encoding'] ?? 'identity';
  const transfer = headers['transfer-encoding'] ?? 'chunked';
  if (!isOnly(coding, 'identity') || !isOnly(transfer, 'chunked'))
    throw new Refused('encoded', `the answer is encoded as ${[coding, transfer].flat().join(', ').slice(0, 100)}`);
  const announced = Number(headers['content-length'] ?? 0);
  if (!cutsBody && announced > maxBytes && method !== 'HEAD' && !BODILESS.has(statusCode))
    throw new Refused('too_large', `the answer announces ${announced} bytes`);
}

async function beginningOf(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(pieces).subarray(0, maxBytes);
}

function isOnly(value: string | string[], wanted: string): boolean {
  return [value].flat().every((each) => ['', wanted].includes(each.trim().toLowerCase()));
}
