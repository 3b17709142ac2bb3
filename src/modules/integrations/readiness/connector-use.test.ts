import { describe, expect, it } from '@jest/globals';
import type { Mode } from '../../../kernel/principals/index.ts';
import { ConnectorUse } from './connector-use.ts';
import type { ConnectorTool, ConnectorUseRow } from './connectors.queries.ts';
import type { StandingConnector } from './readiness.service.ts';

const tool = (name: string, of: Partial<ConnectorTool> = {}): ConnectorTool => ({
  name,
  title: null,
  access: 'read',
  risk: 'external',
  reviewRequired: false,
  definitionHash: `hash-${name}`,
  ...of,
});
const TOOLS = [
  tool('list'),
  tool('send', { access: 'write' }),
  tool('erase', { access: 'write', reviewRequired: true }),
];
const pin = { definitionHash: 'pinned', quarantined: false };
const ROW = {
  accessMode: 'ask_before_write',
  credentialGeneration: 1,
  settingsRevision: 2,
  toolsRevision: 3,
  grantsRevision: 4,
  selection: { explicit: false, tools: { list: pin, send: pin, gone: pin, erase: { ...pin, quarantined: true } } },
  profile: { id: 'p', key: 'growth', kind: 'department', department: 'growth', enabled: true },
  grant: { readOnly: false },
  organization: { authorizationEpoch: 7 },
} as unknown as ConnectorUseRow;

function use(row: Partial<ConnectorUseRow> = {}, mode: Mode | null = 'execute'): ConnectorUse {
  const all = { ...ROW, ...row };
  const facts = { ...all, tools: TOOLS };
  const standing = { row: all, tools: TOOLS, readiness: 'ready', isUsable: true, facts };
  return new ConnectorUse(standing as unknown as StandingConnector<ConnectorUseRow>, mode);
}
const names = (of: ConnectorUse) => of.tools().map(({ name }) => name);

describe('the use of a connector', () => {
  it('offers what the profile may use in this execution', () => {
    expect(names(use())).toEqual(['list', 'send']);
    expect(names(use({}, null))).toEqual(['list', 'send']);
    expect(names(use({}, 'plan'))).toEqual(['list']);
    expect(names(use({ grant: { readOnly: true } }))).toEqual(['list']);
    expect(names(use({ profile: { ...ROW.profile!, kind: 'operator' } }))).toEqual(['list']);
    expect(names(use({ grant: null }))).toEqual([]);
    expect(names(use({ profile: { ...ROW.profile!, enabled: false } }))).toEqual([]);
  });

  it('is nobody’s where there is no such profile', () => {
    expect(use({ profile: null }).refusal()).toBe('not_granted');
    expect(use({ profile: null }).mayWrite).toBe(false);
  });

  it('wants approval by mode and by tool', () => {
    expect(use().approvalDemands(TOOLS[0]!)).toEqual([]);
    expect(use().approvalDemands(TOOLS[1]!)).toEqual(['access_mode']);
    expect(use().approvalDemands(TOOLS[2]!)).toEqual(['access_mode', 'tool_review']);
    expect(use({ accessMode: 'autonomous' }).approvalDemands(TOOLS[1]!)).toEqual([]);
  });

  it('binds a call to the definition as it is listed, the counters and the mode', () => {
    const facts = { credential: '1', settings: '2', tools: '3', grants: '4', accessMode: 'ask_before_write' };
    expect(use().facts('send')).toEqual({ ...facts, definition: 'hash-send' });
    expect(use().facts('erase')).toEqual({ ...facts, definition: 'quarantined' });
    expect(use().facts('gone')).toEqual({ ...facts, definition: 'missing' });
  });
});
