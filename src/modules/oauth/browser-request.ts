import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a request says of the browser that sends it. */
export interface BrowserRequest {
  /** Behind the question mark, as it came. */
  readonly search: string;
  readonly cookies: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`, which pages cannot set. */
  readonly site: string | undefined;
  readonly address: string;
  readonly requestId: string;
  setCookie(cookie: string): void;
}

export const Browser = createParamDecorator((_: unknown, context: ExecutionContext): BrowserRequest => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  const { headers, ip, id } = request;
  const url = request.raw.url ?? '';
  const at = url.indexOf('?');
  const site = headers['sec-fetch-site'];
  return {
    search: at === -1 ? '' : url.slice(at + 1),
    cookies: headers.cookie,
    origin: headers.origin,
    site: typeof site === 'string' ? site : undefined,
    address: ip,
    requestId: id,
    setCookie: (cookie) => void http.getResponse<FastifyReply>().header('set-cookie', cookie),
  };
});
