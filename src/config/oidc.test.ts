import { expect, it } from '@jest/globals';
import { COMPLETE, configOf, expectRefusal } from '../../test/support/configurations.ts';
import { readSettings } from './index.ts';

it.each([
  ['OIDC_ISSUER', 'login.acme.test'],
  ['OIDC_ISSUER', 'https://login.acme.test?realm=1'],
  ['OIDC_ISSUER', 'https://login.acme.test/?'],
  ['OIDC_ISSUER', 'https://login.acme.test#'],
  ['OIDC_ISSUER', 'https://user:password@login.acme.test'],
  ['OIDC_ISSUER', 'https://login.acme.test/a|b'],
  ['OIDC_ISSUER', 'https://login.acme.test/a b'],
  ['OIDC_ISSUER', `https://login.acme.test/${'x'.repeat(177)}`],
  ['OIDC_AUDIENCE', 'one,'],
  ['OIDC_AUDIENCE', 'one two'],
  ['OIDC_AUDIENCE', 'x'.repeat(201)],
])('refuses %s=%s in one line that names it', expectRefusal);

it('takes an OpenID provider as it is written, with its audiences, and not one without the other', () => {
  const env = { OIDC_ISSUER: 'https://Login.acme.test/realms/A/', OIDC_AUDIENCE: 'api://one, two' };
  expect(configOf({ ...COMPLETE, ...env }).oidc).toEqual({
    issuer: 'https://Login.acme.test/realms/A/',
    audiences: ['api://one', 'two'],
  });
  expect(configOf(COMPLETE).oidc).toBeUndefined();
  const local = {
    ...env,
    OIDC_ISSUER: 'http://127.0.0.1:8080/realms/a',
    EGRESS_LOCAL_PEERS: 'http://127.0.0.1:8080',
  };
  expect(readSettings(local).OIDC_ISSUER).toBe(local.OIDC_ISSUER);
  expect(() => readSettings({ ...local, EGRESS_LOCAL_PEERS: 'http://127.0.0.1:8081' })).toThrow(
    /^OIDC_ISSUER: must begin with https:/,
  );
  expect(() => readSettings({ ...env, OIDC_AUDIENCE: '' })).toThrow(
    /^OIDC_AUDIENCE: is required when OIDC_ISSUER is set$/,
  );
  expect(() => readSettings({ ...env, OIDC_ISSUER: '' })).toThrow(
    /^OIDC_ISSUER: is required when OIDC_AUDIENCE is set$/,
  );
});
