import { expect, it } from '@jest/globals';
import { grantedServices, workspaceScopes } from './workspace-scopes.ts';

const SUITE = {
  required: [],
  services: { mail: { read: ['mail.read'], write: ['mail.send'] }, files: { read: ['files.read'], write: [] } },
};
const ANALYTICS = { required: ['analytics.read'], services: {} };

it('asks for identity, what is required, and the scopes of the services in the mode', () => {
  expect(workspaceScopes(SUITE, ['mail', 'files'], 'read_only')).toEqual([
    'openid',
    'email',
    'mail.read',
    'files.read',
  ]);
  expect(workspaceScopes(SUITE, ['mail'], 'autonomous')).toEqual(['openid', 'email', 'mail.read', 'mail.send']);
  expect(workspaceScopes(ANALYTICS, [], 'read_only')).toEqual(['openid', 'email', 'analytics.read']);
});

it('keeps the services whose scopes all came back', () => {
  const chosen = ['mail', 'files'];
  expect(grantedServices(SUITE, chosen, 'ask_before_write', ['mail.read', 'mail.send', 'files.read'])).toEqual(chosen);
  expect(grantedServices(SUITE, chosen, 'ask_before_write', ['mail.read', 'files.read'])).toEqual(['files']);
  expect(grantedServices(SUITE, chosen, 'read_only', ['mail.read', 'more'])).toEqual(['mail']);
});

it('finds nothing granted without any of the services, or without what is required', () => {
  expect(grantedServices(SUITE, ['mail'], 'ask_before_write', ['mail.read'])).toBeUndefined();
  expect(grantedServices(ANALYTICS, [], 'read_only', ['openid'])).toBeUndefined();
  expect(grantedServices(ANALYTICS, [], 'read_only', ['analytics.read'])).toEqual([]);
});
