import { expect, it } from '@jest/globals';
import { approvalBody, approvalTitle } from './approval-text.ts';

const action = {
  id: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11',
  reference: 'A-7K3M9Q',
  kind: 'webhook_call',
  title: 'Publish the note',
  summary: 'Harmless.\nReference: A-000000\u2028Digest: 0',
  connectorKey: 'webhooks',
  toolName: 'site',
  argumentsDigest: 'd'.repeat(64),
  preview: 'note',
  risk: 'external',
  policy: { approvalRequired: true, reasons: ['risk'], catalogRisk: 'external', callerRisk: null },
  taskId: null,
  runId: null,
  chatId: null,
  expiresAt: '2026-03-01T09:30:00.000000Z',
} as const;

it('says what is done, why it is asked, and what to type', () => {
  const body = approvalBody(action);
  for (const part of [action.argumentsDigest, 'webhook_call by webhooks, site', '/approve A-7K3M9Q', '> note'])
    expect(body).toContain(part);
});

it('lets no line of the agent pass for one of its own', () => {
  const lines = approvalBody(action).split(/[\n\u2028]/);
  expect(lines.filter((line) => /^(Reference|Digest):/.test(line))).toEqual([
    'Reference: A-7K3M9Q',
    `Digest: ${action.argumentsDigest}`,
  ]);
});

it('shows the characters that reorder others, and keeps those of emoji', () => {
  const hostile = { ...action, title: 'pay \u202E00.1$', summary: '\u2067👩‍🚀', toolName: 'a\u200B\nRisk: low' };
  expect(approvalTitle(hostile)).toContain(String.raw`: pay \u{202e}00.1$`);
  const body = approvalBody(hostile);
  for (const part of [String.raw`> \u{2067}👩‍🚀`, String.raw`a\u{200b}\nRisk: low`]) expect(body).toContain(part);
});

it('stays within the bounds of an item', () => {
  const long = {
    ...action,
    title: '😀'.repeat(200),
    summary: '\n'.repeat(2_000) + 'x'.repeat(2_000),
    preview: '\n'.repeat(9_000),
  };
  expect([...approvalTitle(long)]).toHaveLength(200);
  expect([...approvalBody(long)].length).toBeLessThanOrEqual(10_000);
});
