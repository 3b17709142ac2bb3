import { logEvents } from '../../organizations/index.ts';

/** A claim that ended without a start. */
export interface RequeuedRequest {
  readonly organizationId: string;
  readonly id: string;
  readonly taskId: string;
  /** Who held it. */
  readonly workerId: string;
}

const WORK_ENGINE = { kind: 'system', id: 'system', name: 'work engine' };

/** Tells the log that claims are given out again, and why; the activity log has no entry of that. */
export function logRequeued(requests: readonly RequeuedRequest[], reason: 'claim_lapsed' | 'recovered'): void {
  const events = requests.map(({ organizationId, id, ...held }) => ({
    organizationId,
    verb: 'run_request.requeued',
    actor: WORK_ENGINE,
    subject: { kind: 'run_request', id },
    facts: { ...held, reason },
  }));
  void logEvents(events);
}
