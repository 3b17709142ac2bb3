import type { FastifyReply } from 'fastify';

/** What the handler of a `page` route returns: something to show, or another place to go to. */
export type Page = ShownPage | LeavingPage;

interface PageHeaders {
  /** A cookie for the browser, as `Set-Cookie` has it. */
  readonly cookie?: string;
}

interface ShownPage extends PageHeaders {
  readonly status: 200 | 400;
  /** The whole document, with everything of others escaped; it can run no script and load nothing. */
  readonly html: string;
  /** The origin to which the answer of the page's form may redirect; browsers check each step of that way. */
  readonly leadsTo?: string;
}

interface LeavingPage extends PageHeaders {
  /** 302 of a GET, 303 after a POST. */
  readonly status: 302 | 303;
  readonly location: string;
}

const TYPE = 'text/html; charset=utf-8';

/** Sets status and headers of a page and returns what is sent. */
export function answerPage(page: Page, reply: FastifyReply): string {
  void reply.code(page.status).headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  if (page.cookie !== undefined) void reply.header('set-cookie', page.cookie);
  if ('location' in page) {
    void reply.header('location', page.location);
    return '';
  }
  void reply.headers(pageHeaders(page.leadsTo));
  return page.html;
}

/** The headers of whatever a browser shows. */
export function pageHeaders(leadsTo?: string): Record<string, string> {
  const forms = leadsTo === undefined ? "'self'" : `'self' ${leadsTo}`;
  return {
    'content-type': TYPE,
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`,
  };
}
