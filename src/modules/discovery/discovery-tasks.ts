import { CreateBudgetDto, CreateTaskDto, CreateTaskSpecDto } from '../tasks/index.ts';
import type { IntentionKey } from './discovery.state.ts';

const MAX_RUNS = 10;

/** What each task finds out. */
const TASKS: Readonly<Record<IntentionKey, { readonly title: string; readonly objective: string }>> = {
  company_profile: {
    title: 'Find out what the company is',
    objective:
      'Find out what the company does: its products and services, how it makes money, where and since when, and how it presents itself.',
  },
  market: {
    title: 'Find out about the market',
    objective:
      'Find out in which market the company stands: its size and direction, the competitors with their offers and prices, and what sets the company apart.',
  },
  customers: {
    title: 'Find out about the customers',
    objective:
      'Find out who the customers are: which groups there are, what they need and why they buy, what they praise, and what they complain about.',
  },
  growth: {
    title: 'Find out where growth can begin',
    objective:
      'Find out, on what the organization knows by now, how the company wins and keeps customers today, and what would bring most next.',
  },
  engineering: {
    title: 'Find out how the software stands',
    objective:
      'Find out, on what the organization knows by now, which software the company builds and runs, how it is operated, and where its weak spots are.',
  },
  support: {
    title: 'Find out how customers are helped',
    objective:
      'Find out, on what the organization knows by now, how customers ask for help and are answered, what they ask most, and what would spare them the question.',
  },
};

const HOW =
  'Use the onboarding material, the organization’s knowledge, its website and the connections that you may use. Publish what ' +
  'you find as knowledge (`POST …/knowledge`), each finding bound to an artifact that your run stored as its evidence: a task ' +
  'that leaves no record is done again. Mark estimates, and leave out what you cannot back.';

/** The creation of the task of an attempt. */
export function discoveryTask(key: IntentionKey, attempt: number, ownerAgentProfileId: string): CreateTaskDto {
  const { title, objective } = TASKS[key];
  return Object.assign(new CreateTaskDto(), {
    title,
    ownerAgentProfileId,
    dedupeKey: `discovery:${key}:${attempt}`,
    spec: Object.assign(new CreateTaskSpecDto(), {
      objective: `${objective}\n\n${HOW}`,
      budget: Object.assign(new CreateBudgetDto(), { maxAgentRuns: MAX_RUNS }),
    }),
  });
}

/** What people are told of an intention that came to nothing. */
export function noticeOf(key: IntentionKey, taskId: string | null) {
  return {
    taskId,
    title: `Discovery gave up: ${TASKS[key].title}`,
    body: 'Three tasks left no knowledge that holds. Look at the last one: retry it to let it go on, or leave it as it is.',
    dedupeKey: noticeKey(key),
  };
}

export function noticeKey(key: IntentionKey): string {
  return `discovery:${key}`;
}
