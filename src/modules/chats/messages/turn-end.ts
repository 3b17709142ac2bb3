import { type DomainEvent, logEvent } from '../../organizations/index.ts';

/** How a turn left its lease. */
export interface TurnEnd {
  readonly organizationId: string;
  readonly turnId: string;
  readonly chatId: string;
  readonly status: string;
  readonly actor: DomainEvent['actor'];
  /** Attempts so far. */
  readonly attempt: number;
  readonly code?: string | undefined;
  /** Why the service itself moved it. */
  readonly reason?: string;
  readonly workerId?: string | null;
}

/** Ends have entries in the activity log; that a turn is given out again only the log line tells. */
const VERBS: Readonly<Record<string, string>> = {
  complete: 'message.completed',
  failed: 'message.failed',
  cancelled: 'message.cancelled',
  pending: 'turn.requeued',
};

export function logTurnEnd({ organizationId, turnId, status, actor, ...facts }: TurnEnd): void {
  const subject = { kind: 'message', id: turnId };
  logEvent({ organizationId, verb: VERBS[status]!, actor, subject, facts: { turnId, ...facts } });
}
