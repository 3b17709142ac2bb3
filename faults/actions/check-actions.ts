import type { Findings } from '../findings.ts';
import type { ActionRow, ActionRows } from './action-rows.ts';
import type { Received } from './receiver.ts';

const ENDED = new Set(['succeeded', 'failed', 'not_executed', 'rejected', 'expired', 'cancelled']);

export interface ActionsWorld {
  /** Ids whose proposal and approval were acknowledged. */
  readonly approved: readonly string[];
  /** What the receiver read, in its order. */
  readonly received: readonly Received[];
  /** When nothing was under way any more, and no person had said what became of the ambiguous ones. */
  readonly parked: ActionRows;
  /** When a person had. */
  readonly ended: ActionRows;
}

/** Compares what people approved, what the receiver read and what the service says became of it. */
export function checkActions({ approved, received, parked, ended }: ActionsWorld): Findings {
  const findings: Findings = { lost: [], doubled: [], stuck: [], wrong: [] };
  const requests = Map.groupBy(received, ({ actionId }) => actionId);
  const known = new Map(parked.actions.map((action) => [action.id, action]));
  for (const id of approved) if (!known.has(id)) findings.lost.push(`action ${id} was approved and does not exist`);
  for (const [id, own] of requests) {
    if (!known.has(id)) findings.wrong.push(`the receiver was called for an action that is none: ${id}`);
    if (own.length > 1) findings.doubled.push(`action ${id} was sent ${own.length} times`);
    if (own.some(({ signed }) => !signed))
      findings.wrong.push(`a request of action ${id} has not the webhook's signature`);
  }
  const questions = Map.groupBy(parked.questions, ({ actionId }) => actionId);
  for (const action of parked.actions)
    checkOne(action, requests.get(action.id)?.[0], questions.get(action.id)?.length ?? 0, findings);
  checkActivity(parked, findings);
  checkTasks(ended, findings);
  return findings;
}

function checkOne(action: ActionRow, request: Received | undefined, questions: number, findings: Findings): void {
  const { id, status, wasSent, errorCode } = action;
  const isParked = status === 'reconciliation_required';
  if (!isParked && !ENDED.has(status)) findings.stuck.push(`action ${id} is ${status}`);
  if (isParked && questions < 1) findings.lost.push(`nobody is asked what became of action ${id}`);
  if (questions > (isParked ? 1 : 0))
    findings.doubled.push(`action ${id} is ${status} and asked after ${questions} times`);
  if (request && !wasSent) findings.wrong.push(`action ${id} arrived and is not noted as sent`);
  if (request?.dropped && !isParked)
    findings.wrong.push(`action ${id} was read and not answered, and is ${status} instead of parked`);
  if (request && ['not_executed', 'failed'].includes(status))
    findings.wrong.push(`action ${id} arrived and is ${status} (${errorCode})`);
  if (!request && status === 'succeeded') findings.lost.push(`action ${id} is ${status} and never arrived`);
  if (!wasSent && isParked) findings.wrong.push(`action ${id} was never sent and is ${status}`);
}

/** Checks that each action was approved once, sent at most once and ended at most once, by the activity log. */
export function checkActivity({ actions, activity }: ActionRows, { doubled, lost }: Findings): void {
  const counts = new Map(activity.map(({ verb, actionId, count }) => [`${verb} ${actionId}`, count]));
  const times = (verb: string, id: string) => counts.get(`action.${verb} ${id}`) ?? 0;
  for (const { id, status } of actions) {
    for (const verb of ['approved', 'sent', status])
      if (times(verb, id) > 1) doubled.push(`action.${verb} ${id} happened ${times(verb, id)} times`);
    for (const verb of ['approved', status])
      if (times(verb, id) < 1) lost.push(`action.${verb} ${id} is not in the activity log`);
  }
}

/** Checks that each task waited once for its actions, and was continued once. */
export function checkTasks({ tasks, actions }: ActionRows, { stuck, doubled }: Findings): void {
  for (const { id, status } of actions) if (!ENDED.has(status)) stuck.push(`action ${id} is ${status} at the end`);
  for (const { id, status, waits, completions } of tasks) {
    if (status !== 'completed') stuck.push(`task ${id} is ${status}`);
    if (waits > 1 || completions > 1)
      doubled.push(`task ${id} waited ${waits} times and completed ${completions} times`);
  }
}
