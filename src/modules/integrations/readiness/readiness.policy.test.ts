import { describe, expect, it } from '@jest/globals';
import type { Health } from '../integration.state.ts';
import { type ConnectorFacts, type Permitted, readinessOf, refusalOf, type User } from './readiness.policy.ts';

const FACTS: ConnectorFacts = {
  key: 'mcp-orders',
  endpoint: 'https://orders.example.com/mcp',
  enabled: true,
  accessMode: 'ask_before_write',
  selection: {
    explicit: false,
    tools: {
      read_orders: { definitionHash: 'a', quarantined: false },
      send: { definitionHash: 'b', quarantined: false },
      gone: { definitionHash: 'c', quarantined: false },
      changed: { definitionHash: 'd', quarantined: true },
    },
  },
  settings: null,
  verifiedFor: null,
  health: null,
  credentialGeneration: 3,
  settingsRevision: 2,
  credentialState: 'connected',
  tools: [
    { name: 'read_orders', access: 'read' },
    { name: 'send', access: 'write' },
    { name: 'changed', access: 'read' },
    { name: 'new', access: 'read' },
  ],
};
const ENTRY = { status: 'active', settings: 'none', settingsVerified: false } as const;
const VERIFIED = { status: 'active', settings: 'required', settingsVerified: true } as const;
const PERMITTED: Permitted = { allowedIntegrations: [], isBlocked: () => false, isApproved: () => true };

function failed(scope: string, generation = '3.2'): Health {
  return { generation, observations: [{ scope, status: 'failed', checkedAt: '2026-01-01T00:00:00.000000Z' }] };
}

/** In the order of the reasons: each row has everything against it that the rows behind have. */
describe('readiness', () => {
  it.each([
    ['retired', {}, { ...VERIFIED, status: 'retired' as const }, { allowedIntegrations: ['mcp-other'] }],
    ['blocked', { enabled: false }, VERIFIED, { allowedIntegrations: ['mcp-other'] }],
    ['blocked', { enabled: false }, VERIFIED, { isBlocked: () => true }],
    ['blocked', { enabled: false }, VERIFIED, { isApproved: () => false }],
    ['disabled', { enabled: false, credentialState: null }, VERIFIED, {}],
    ['needs_credentials', { credentialState: null }, VERIFIED, {}],
    ['needs_credentials', { credentialState: 'reauthorization_required' as const }, VERIFIED, {}],
    ['needs_credentials', { credentialState: 'unreadable' as const }, VERIFIED, {}],
    ['needs_settings', { selection: null }, VERIFIED, {}],
    ['needs_tools', { selection: null, settings: {} }, VERIFIED, {}],
    ['needs_tools', { selection: { explicit: true, tools: {} } }, ENTRY, {}],
    ['needs_tools', { tools: [] }, ENTRY, {}],
    [
      'needs_tools',
      {
        selection: { explicit: false, tools: { send: { definitionHash: 'b', quarantined: false } } },
        accessMode: 'read_only',
      },
      ENTRY,
      {},
    ],
    ['needs_verification', { settings: {}, health: failed('credential') }, VERIFIED, {}],
    ['needs_verification', { settings: {}, verifiedFor: '2.2' }, VERIFIED, {}],
    ['degraded', { settings: {}, verifiedFor: '3.2', health: failed('credential') }, VERIFIED, {}],
    ['degraded', { health: failed('resource:7') }, ENTRY, {}],
    ['ready', { health: failed('reporting') }, ENTRY, {}],
    ['ready', { health: failed('credential', '2.2') }, ENTRY, {}],
    ['ready', { settings: {}, verifiedFor: '3.2' }, VERIFIED, {}],
    ['ready', {}, ENTRY, { allowedIntegrations: ['mcp-orders'] }],
  ] as const)('is %s with %j', (readiness, facts, entry, permitted) => {
    expect(readinessOf({ ...FACTS, ...facts }, entry, { ...PERMITTED, ...permitted })).toBe(readiness);
  });

  it('is retired where the release knows the kind no more', () => {
    expect(readinessOf(FACTS, undefined, PERMITTED)).toBe('retired');
  });
});

describe('use', () => {
  const user: User = { profileKind: 'department', profileEnabled: true, grant: { readOnly: false }, mode: 'execute' };

  it.each([
    [null, {}, undefined],
    [null, {}, 'read_orders'],
    [null, {}, 'send'],
    [null, { mode: null, profileKind: 'chat' }, 'send'],
    ['not_granted', { grant: null, profileEnabled: false }, 'send'],
    ['profile_disabled', { profileEnabled: false }, 'nothing'],
    ['tool_unknown', {}, 'nothing'],
    ['tool_unknown', {}, 'constructor'],
    ['tool_not_selected', {}, 'new'],
    ['tool_missing', {}, 'gone'],
    ['tool_quarantined', {}, 'changed'],
    ['read_only', { grant: { readOnly: true } }, 'send'],
    ['read_only', { profileKind: 'operator' }, 'send'],
    ['read_only', { mode: 'plan' }, 'send'],
    ['read_only', { mode: 'verify' }, 'send'],
    [null, { mode: 'verify', grant: { readOnly: true } }, 'read_orders'],
  ] as const)('is refused as %s for %j and %s', (refusal, change, tool) => {
    expect(refusalOf(FACTS, 'ready', { ...user, ...change }, tool)).toBe(refusal);
  });

  it('is refused with the word of what is not usable before all', () => {
    expect(refusalOf(FACTS, 'needs_tools', { ...user, grant: null })).toBe('needs_tools');
    expect(refusalOf(FACTS, 'degraded', user, 'read_orders')).toBeNull();
  });

  it('is read only in the mode', () => {
    expect(refusalOf({ ...FACTS, accessMode: 'read_only' }, 'ready', user, 'send')).toBe('read_only');
  });
});
