import type { Refusal } from './egress-request.ts';

/** Ends a request inside the client; `send` returns it as a refusal. */
export class Refused extends Error {
  constructor(
    readonly refusal: Refusal,
    detail: string,
  ) {
    super(detail);
    this.name = 'Refused';
  }
}

/** What ended a request: our own refusal, a limit that undici kept, or an error of the network. */
export function refusedBy(error: unknown): Refused {
  if (error instanceof Refused) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return new Refused('too_large', message);
  return new Refused('unreachable', code ?? message);
}
