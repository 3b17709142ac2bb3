import type { ActionToSend } from '../action-executors.port.ts';
import type { LockedAction } from '../action-row.ts';

/** An action as its executor sees it. */
export function toSend(organizationId: string, action: LockedAction): ActionToSend {
  const { arguments: text, id, reference, kind, connectorKey, integrationId, toolName, agentProfileId } = action;
  return {
    organizationId,
    id,
    reference,
    kind,
    connectorKey,
    integrationId,
    toolName,
    agentProfileId,
    arguments: JSON.parse(text) as Record<string, unknown>,
    argumentsText: text,
    argumentsDigest: action.argumentsDigest,
    taskId: action.taskId,
    chatId: action.chatId,
    sentAt: action.sentAt,
  };
}
