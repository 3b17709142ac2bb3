import { escapeReordering, escapeUnseen } from '../../../kernel/validation/index.ts';
import type { ActionKind, ActionPolicy, ActionRisk, ApprovalReason } from '../action.state.ts';
import { ACTION_LIMITS } from '../action.state.ts';
import { cutToBytes } from '../cut-to-bytes.ts';

/** What a person must know of an action to decide it. */
export interface AskedAction {
  readonly id: string;
  readonly reference: string;
  readonly kind: ActionKind;
  readonly title: string;
  readonly summary: string;
  readonly connectorKey: string;
  readonly toolName: string;
  readonly argumentsDigest: string;
  /** Its unseen characters escaped. */
  readonly preview: string;
  readonly risk: ActionRisk;
  readonly policy: ActionPolicy;
  readonly taskId: string | null;
  readonly runId: string | null;
  readonly chatId: string | null;
  readonly expiresAt: string;
}

const MAX_TITLE = 200;
const MAX_BODY = 10_000;

const WHY: Readonly<Record<ApprovalReason, string>> = {
  access_mode: 'the connector asks before it writes',
  tool_review: 'the tool is to be reviewed each time',
  risk: 'the organization wants approval for this risk',
};

export function approvalTitle({ reference, title }: AskedAction): string {
  return cut(`Approve ${reference}: ${escapeReordering(title)}`, MAX_TITLE);
}

/**
 * What the backend knows comes first, and the agent's own words last and indented: they may look like anything, and must not
 * pass for the backend's. What is sent comes with its unseen characters escaped, the agent's words with those that reorder.
 */
export function approvalBody(action: AskedAction): string {
  const { reference, kind, connectorKey, argumentsDigest, risk, policy } = action;
  const toolName = escapeUnseen(action.toolName).replaceAll('\n', '\\n');
  const shown = cutToBytes(action.preview, ACTION_LIMITS.shownPreviewBytes);
  const lines = [
    `Reference: ${reference}`,
    `Digest: ${argumentsDigest}`,
    `Does: ${kind} by ${connectorKey}, ${toolName}`,
    `Risk: ${risk}`,
    `Needs approval because ${policy.reasons.map((reason) => WHY[reason]).join(', and ')}.`,
    `To decide in a chat, type /approve ${reference} or /reject ${reference} as a line of your own.`,
    '',
    shown === action.preview ? 'What is sent:' : 'What is sent, its beginning:',
    indented(shown),
    '',
    'What the agent says of it:',
    indented(escapeReordering(action.summary)),
  ];
  return cut(lines.join('\n'), MAX_BODY);
}

function cut(text: string, max: number): string {
  return [...text].slice(0, max).join('');
}

function indented(text: string): string {
  return text
    .split(/\r\n|[\n\r\u0085\u2028\u2029]/)
    .map((line) => `> ${line}`)
    .join('\n');
}
