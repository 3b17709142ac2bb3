import type { EndpointSpec } from '../endpoint/index.ts';

const HTML = {
  schema: { type: 'string', description: 'A page for people, without scripts' },
  example: '<!doctype html>…',
};

/** What a `page` route shows, and where it sends the browser. */
export function pageResponses(
  { page }: Extract<EndpointSpec, { page: object }>,
  method: string,
): Record<string, object> {
  const headers = {
    Location: {
      description: 'Where the browser goes',
      schema: { type: 'string' },
      example: 'https://app.example.com/integrations?outcome=connected',
    },
  };
  return {
    200: { description: page.message, content: { 'text/html': HTML } },
    [method === 'post' ? 303 : 302]: { description: 'The deployment has a page of its own for this', headers },
  };
}

/** The media type in which a person sees an error of a `page` route. */
export const pageOfError = { 'text/html': HTML };
