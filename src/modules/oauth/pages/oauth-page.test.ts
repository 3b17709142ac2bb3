import { expect, it } from '@jest/globals';
import { confirmationPage, outcomePage } from './oauth-page.ts';

const CONFIRMATION = {
  organization: 'Acme',
  connector: 'Orders',
  account: 'ada@acme.test',
  scopes: ['orders.read'],
  action: '/oauth/mcp/callback',
  token: 'abc',
};

it('says what became of an authorization, with the id of the request and without a script', () => {
  for (const outcome of ['connected', 'declined', 'expired', 'failed'] as const) {
    const page = outcomePage(outcome, 'request-1');
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('Request request-1');
    expect(page).not.toContain('<script');
  }
});

it('names what would be connected, and has one button', () => {
  const page = confirmationPage(CONFIRMATION, 'request-1');
  for (const text of ['Acme', 'Orders', 'ada@acme.test', 'orders.read', 'name="token" value="abc"'])
    expect(page).toContain(text);
  expect(page.match(/<button/g)).toHaveLength(1);
  expect(page).toContain('<form method="post" action="/oauth/mcp/callback">');
  expect(confirmationPage({ ...CONFIRMATION, account: null, scopes: [] }, 'x')).toContain('not said');
});

it('shows what others wrote as text', () => {
  const evil = `"><script>alert('x')</script>&\u202e\0`;
  const page = confirmationPage(
    { ...CONFIRMATION, organization: evil, connector: evil, account: evil, scopes: [evil] },
    'request-1',
  );
  expect(page).not.toContain('<script');
  expect(page).not.toContain('\u202e');
  expect(page.match(/&quot;&gt;&lt;script&gt;alert\(&#39;x&#39;\)&lt;\/script&gt;&amp;/g)).toHaveLength(4);
});
