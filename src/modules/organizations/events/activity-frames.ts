import { eventFrame } from '../../../kernel/http/index.ts';
import type {
  ActivityEventDto,
  ActivityEventQuery,
  ActivitySnapshotEventDto,
  SnapshotReason,
} from './activity-event.dto.ts';
import { eventIdOf } from './activity-event-id.ts';
import type { LoggedEntry } from './activity-events.queries.ts';
import type { Position, Step } from './activity-position.ts';
import { statusAfter } from '../activity/activity-verb.ts';

/** An event, encoded once for all readers. */
export interface Frame {
  /** The position of a reader that has it, or passes over it. */
  readonly at: Position;
  readonly verb: string;
  readonly rootTaskId: string | null;
  readonly bytes: Buffer;
}

export function entryFrame({ row, position }: Step<LoggedEntry>): Frame {
  const { id, at, verb, taskId, rootTaskId } = row;
  const status = statusAfter(verb);
  const data: ActivityEventDto = {
    type: 'activity',
    id,
    verb,
    subject: { kind: row.subjectKind, id: row.subjectId, label: row.subjectLabel },
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    at,
    ...(taskId === null ? {} : { taskId }),
    ...(rootTaskId === null ? {} : { rootTaskId }),
    ...(status === null ? {} : { status }),
  };
  return { at: position, verb, rootTaskId, bytes: eventFrame({ id: eventIdOf(position)!, event: data.type, data }) };
}

export function snapshotFrame(position: Position, reason: SnapshotReason, at: string | null): Buffer {
  const data: ActivitySnapshotEventDto = { type: 'snapshot', reason, at };
  // Of an empty log a client has no position: it begins anew when it comes back.
  return eventFrame({ id: eventIdOf(position) ?? '', event: data.type, data });
}

/** Tells a client where it is without an event; parsers of event streams keep the id. */
export function positionFrame(position: Position): Buffer {
  return Buffer.from(`id: ${eventIdOf(position) ?? ''}\n\n`);
}

/** Whether a client wants to know of it. */
export function isWanted({ verb, rootTaskId }: Frame, wanted: ActivityEventQuery): boolean {
  return (
    (wanted.verb === undefined || wanted.verb.length === 0 || wanted.verb.includes(verb)) &&
    (wanted.rootTaskId === undefined || wanted.rootTaskId.toLowerCase() === rootTaskId)
  );
}
