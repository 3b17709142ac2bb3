import { checkActivity, checkTasks } from '../actions/check-actions.ts';
import type { ActionRows } from '../actions/action-rows.ts';
import type { Findings } from '../findings.ts';
import type { ReceivedPush } from './git-host.ts';
import type { PushRow } from './push-rows.ts';

export interface PushesWorld {
  /** Ids whose push and approval were acknowledged. */
  readonly approved: readonly string[];
  /** What the host read, in its order. */
  readonly received: readonly ReceivedPush[];
  /** When everything had ended, or its executor had looked for the last time. */
  readonly pushes: readonly PushRow[];
  readonly ended: ActionRows;
  /** Where the branches of the host stand at the end. */
  readonly branches: ReadonlyMap<string, string>;
}

const NOWHERE = '0'.repeat(40);

/** Compares what people approved, what the host read, where its branches stand and what the service says became of it. */
export function checkPushes({ approved, received, pushes, ended, branches }: PushesWorld): Findings {
  const findings: Findings = { lost: [], doubled: [], stuck: [], wrong: [] };
  const known = new Set(pushes.map(({ id }) => id));
  for (const id of approved) if (!known.has(id)) findings.lost.push(`push ${id} was approved and does not exist`);
  const requests = Map.groupBy(received, pushOf);
  const own = new Set(pushes.map(pushOf));
  for (const [push, each] of requests) {
    if (!own.has(push)) findings.wrong.push(`the host was asked for what nobody pushed: ${push}`);
    if (each.length > 1) findings.doubled.push(`${push} was sent ${each.length} times`);
  }
  for (const push of pushes)
    checkOne(push, requests.get(pushOf(push))?.[0], branches.get(push.ref) ?? NOWHERE, findings);
  checkActivity(ended, findings);
  checkTasks(ended, findings);
  return findings;
}

/** The service's word against the branch. */
function checkOne(push: PushRow, request: ReceivedPush | undefined, stands: string, findings: Findings): void {
  const { id, status, wasSent, errorCode, oldOid, newOid } = push;
  const is = `push ${id} is ${status} (${errorCode})`;
  if (request && !wasSent) findings.wrong.push(`${is}, arrived and is not noted as sent`);
  if (status === 'succeeded') {
    if (stands !== newOid) findings.wrong.push(`${is}, and its branch stands at ${stands}`);
    if (!request) findings.lost.push(`${is} and never arrived`);
  } else if (status === 'not_executed') {
    if (stands !== oldOid) findings.wrong.push(`${is}, and its branch stands at ${stands}`);
  } else if (status === 'reconciliation_required') findings.stuck.push(`${is}: nobody but a person can say`);
  else findings.wrong.push(is);
}

function pushOf({ ref, newOid }: Pick<PushRow, 'ref' | 'newOid'>): string {
  return `${newOid} ${ref}`;
}
