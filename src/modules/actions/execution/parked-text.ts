import type { LockedAction } from '../action-row.ts';

const MAX_TITLE = 200;

type ParkedAction = Pick<
  LockedAction,
  'reference' | 'title' | 'kind' | 'connectorKey' | 'toolName' | 'argumentsDigest'
>;

export function parkedTitle({ reference, title }: ParkedAction): string {
  return [...`What became of ${reference}: ${title}`].slice(0, MAX_TITLE).join('');
}

/** What the backend knows, and what a person can do. The agent's own words stand in the title alone. */
export function parkedBody(action: ParkedAction, why: string): string {
  const { reference, kind, connectorKey, toolName, argumentsDigest } = action;
  return [
    `Reference: ${reference}`,
    `Digest: ${argumentsDigest}`,
    `Did: ${kind} by ${connectorKey}, ${toolName}`,
    '',
    `It was sent, and nobody knows what became of it: ${why}`,
    'It is never sent again. Look at the provider, and reconcile the action with what you find.',
    `To say so in a chat, type /reconcile ${reference} succeeded, or failed, or not_executed, as a line of your own.`,
  ].join('\n');
}
