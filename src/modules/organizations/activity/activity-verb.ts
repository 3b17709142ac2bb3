/**
 * What may have happened, with the status in which it leaves its subject where that is always the same one. The one list
 * that entries, filters and documents take their verbs from.
 */
export const STATUS_AFTER = {
  'organization.created': 'active',
  'organization.updated': null,
  'organization.deleted': 'deleting',
  'work_dispatch.stopped': 'stopped',
  'work_dispatch.resumed': 'running',
  'member.added': null,
  'member.role_changed': null,
  'member.removed': null,
  'bootstrap.used': null,
  'agent_profile.created': null,
  'agent_profile.updated': null,
  'agent_profile.deleted': null,
  'agent_profiles.provisioned': null,
  'chat.created': null,
  'chat.updated': null,
  'chat.archived': 'archived',
  'chat.restored': 'open',
  'chat.deleted': null,
  'attachment.stored': null,
  'message.posted': null,
  'message.cancel_requested': null,
  'message.completed': 'complete',
  'message.failed': 'failed',
  'message.cancelled': 'cancelled',
  'task.created': null,
  'task.planned': null,
  'task.retried': null,
  'task.completed': 'completed',
  'task.failed': 'failed',
  'task.cancelled': 'cancelled',
  'task_dependency.waived': 'waived',
  'run_request.deferred': 'queued',
  'run.cancel_requested': null,
  'run.succeeded': 'succeeded',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
  'run.expired': 'expired',
  'schedule.created': null,
  'schedule.updated': null,
  'schedule.paused': 'paused',
  'schedule.resumed': 'enabled',
  'schedule.deleted': null,
  'webhook.created': 'enabled',
  'webhook.updated': null,
  'webhook.secret_rotated': null,
  'webhook.enabled': 'enabled',
  'webhook.disabled': 'disabled',
  'webhook.deleted': null,
  'inbox_item.opened': 'open',
  'inbox_item.answered': 'answered',
  'inbox_item.acknowledged': 'acknowledged',
  'inbox_item.expired': 'expired',
  'inbox_item.withdrawn': 'withdrawn',
  'action.proposed': null,
  'action.approved': 'approved',
  'action.rejected': 'rejected',
  'action.expired': 'expired',
  'action.cancelled': 'cancelled',
  'action.sent': 'executing',
  'action.succeeded': 'succeeded',
  'action.failed': 'failed',
  'action.not_executed': 'not_executed',
  'action.reconciliation_required': 'reconciliation_required',
  'action.reconciled': null,
} as const satisfies Readonly<Record<string, string | null>>;

export type ActivityVerb = keyof typeof STATUS_AFTER;

export const ACTIVITY_VERBS = Object.keys(STATUS_AFTER) as readonly ActivityVerb[];

/** The status of its subject after an entry, which may be of a release that knows more verbs. */
export function statusAfter(verb: string): string | null {
  return Object.hasOwn(STATUS_AFTER, verb) ? STATUS_AFTER[verb as ActivityVerb] : null;
}
