import { expect, it } from '@jest/globals';
import type { ManifestIntegrationDto } from '../../executions/index.ts';
import { withinBytes } from './manifest-integrations.ts';

const tool = (n: number) =>
  ({ name: `tool_${n}`, title: null, access: 'read', risk: 'low', approval: 'none' }) as const;
const integration = (key: string, tools: number): ManifestIntegrationDto => ({
  key,
  integrationId: 'id',
  name: key,
  kind: 'mcp',
  purposes: [],
  ranks: {},
  readiness: 'ready',
  access: 'full',
  accessMode: 'autonomous',
  tools: Array.from({ length: tools }, (_, n) => tool(n)),
  purpose: { organization: null, department: null },
  policy: null,
  resources: [],
  contextRevision: 1,
});
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

it('keeps what fits', () => {
  const all = [integration('a', 3), integration('b', 2)];
  expect(withinBytes(all)).toEqual(all);
});

it('cuts the longest lists first, and says so', () => {
  const all = [integration('a', 100), integration('b', 5)];
  const cut = withinBytes(all, 4_000);
  expect(bytes(cut)).toBeLessThanOrEqual(4_000);
  expect(cut[0]).toMatchObject({ truncated: true });
  expect(cut[0]!.tools.length).toBeGreaterThan(5);
  expect(cut[1]).toEqual(all[1]);
});

it('leaves nothing of lists where even that is too much', () => {
  const cut = withinBytes([integration('a', 9), integration('b', 9)], 100);
  expect(cut.map(({ tools }) => tools)).toEqual([[], []]);
});
