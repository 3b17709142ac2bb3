import { expect, it } from '@jest/globals';
import { callbackQuery } from './callback-query.ts';

it('reads answers of both protocols', () => {
  expect(callbackQuery('state=s&code=c&iss=https%3A%2F%2Fas.test&extra=1')).toMatchObject({
    protocol: 'oauth2',
    state: 's',
  });
  expect(callbackQuery('state=s&oauth_token=t&oauth_verifier=v')).toEqual({
    protocol: 'oauth1',
    token: 't',
    state: 's',
    verifier: 'v',
  });
  expect(callbackQuery('state=s&denied=t')).toEqual({ protocol: 'oauth1', token: 't', state: 's', verifier: null });
});

it.each([
  '',
  'code=c',
  'state=&code=c',
  'state=s&state=s',
  'state=s&code=c&code=d',
  'oauth_token=t&oauth_verifier=v',
  'state=s&oauth_token=t',
  `state=s&code=${'c'.repeat(8_192)}`,
])('refuses %.40s', (search) => {
  expect(callbackQuery(search)).toBeUndefined();
});
