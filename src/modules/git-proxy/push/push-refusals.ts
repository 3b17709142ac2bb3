import { escapeUnseen } from '../../../kernel/validation/index.ts';
import { isBranch, NO_OBJECT, type PushCommands, type PushReport } from '../protocol/index.ts';

/** Why a push is refused by what it asks for, whatever its pack holds; undefined where it is not. */
export function refusedAsking(asked: PushCommands): PushReport | undefined {
  if (asked.isSigned) return { unpackFault: 'signed pushes cannot be passed on', refs: [] };
  const reason = reasonOf(asked);
  return reason === undefined ? undefined : refused(asked, reason);
}

/** All of a push, for one reason. */
export function refused(
  { commands }: Pick<PushCommands, 'commands'>,
  reason: string,
  isUnpackFault = false,
): PushReport {
  const refs = commands.map(({ ref }) => ({ ref, isDone: false, reason }) as const);
  return { refs, ...(isUnpackFault ? { unpackFault: reason } : {}) };
}

function reasonOf({ commands, capabilities }: PushCommands): string | undefined {
  const [command, another] = commands;
  if (!command || another) return 'push one branch at a time';
  const { ref, oldOid, newOid } = command;
  if (!isBranch(ref)) return 'only branches are pushed here, by a name that git takes';
  // Who approves a push must see which branch it moves.
  if (escapeUnseen(ref) !== ref) return 'the name of the branch has characters that nobody sees';
  if (newOid === NO_OBJECT) return 'branches are not deleted here';
  if (oldOid === newOid) return 'the push changes nothing';
  const format = [...capabilities].find((word) => word.startsWith('object-format='));
  if (format !== undefined && format !== 'object-format=sha1') return 'only objects of SHA-1 can be verified here';
  return capabilities.has('push-options') ? 'push options cannot be passed on' : undefined;
}
