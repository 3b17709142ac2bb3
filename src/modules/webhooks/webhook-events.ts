import type { ActivityVerb } from '../organizations/index.ts';

/** What webhooks can be told of, and the verbs of the activity log that each stands for. */
const VERBS_OF_EVENTS = {
  'inbox.item.opened': ['inbox_item.opened'],
  'action.decided': ['action.approved', 'action.rejected'],
  'action.finished': [
    'action.succeeded',
    'action.failed',
    'action.not_executed',
    'action.expired',
    'action.cancelled',
    'action.reconciliation_required',
    'action.reconciled',
  ],
  'task.ended': ['task.completed', 'task.failed', 'task.cancelled'],
  'run.failed': ['run.failed', 'run.expired'],
  'chat.message.completed': ['message.completed', 'message.failed', 'message.cancelled'],
} as const satisfies Readonly<Record<string, readonly ActivityVerb[]>>;

export type WebhookEvent = keyof typeof VERBS_OF_EVENTS;

export const WEBHOOK_EVENTS = Object.keys(VERBS_OF_EVENTS) as readonly WebhookEvent[];

/** What a delivery that an owner asked for is called. */
export const TEST_EVENT = 'webhook.test';

const EVENTS_OF_VERBS = new Map(
  Object.entries<readonly string[]>(VERBS_OF_EVENTS).flatMap(([event, verbs]) =>
    verbs.map((verb) => [verb, event as WebhookEvent] as const),
  ),
);

/** The event that a verb is; undefined for one that webhooks are not told of. */
export function eventOf(verb: string): WebhookEvent | undefined {
  return EVENTS_OF_VERBS.get(verb);
}

export function verbsOf(events: Iterable<WebhookEvent>): readonly string[] {
  return [...new Set(events)].flatMap((event): readonly string[] => VERBS_OF_EVENTS[event]).toSorted();
}
