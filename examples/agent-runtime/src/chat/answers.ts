import type { Learned, Task } from '../api.ts';
import { cut, quote } from '../text.ts';

/** What an answer may read and do in the organization, with the capability of the turn. */
export interface Organization {
  /** Finds a task by identifier or id; undefined if there is none. */
  task(ref: string): Promise<Task | undefined>;
  blocked(): Promise<readonly Task[]>;
  /** What is known about the question, best first. */
  known(question: string): Promise<readonly Known[]>;
  /** What each agent profile has learned. */
  lessons(): Promise<readonly Learned[]>;
  /**
   * Creates a task, once per turn however often the turn is restarted. Returns the reason if the service refuses it.
   */
  create(task: NewTask): Promise<Task | { readonly refusal: string }>;
}

export interface Known {
  readonly title: string;
  readonly text: string;
  /** The file that shows it, by its name and its path in the organization. */
  readonly file: string;
  readonly at: string;
}

export interface NewTask {
  readonly title: string;
  readonly objective: string;
  /** Key of the profile that owns the task; the operator's by default. */
  readonly ownerAgentProfileKey?: string;
}

type Blocker = Task['state']['blockers'][number];

const CREATE = /^\s*(?:please\s+)?(?:create|add)\s+(?:a\s+|the\s+)?task(?:\s+for\s+([a-z0-9-]+))?\s*:\s*(\S.*)$/is;
const IDENTIFIER = /\b(?:GRO|ENG|SUP|OPS)-[1-9]\d*\b/i;
const MAX_TITLE = 200;
const MAX_LESSONS = 5;

/** Answers a question piece by piece. Calls no model and understands only a few kinds of questions. */
export function answer(question: string, organization: Organization): AsyncGenerator<string, void> {
  const [, profileKey, objective] = CREATE.exec(question) ?? [];
  if (objective) return created(organization, objective.trim(), profileKey?.toLowerCase());
  const identifier = IDENTIFIER.exec(question)?.[0].toUpperCase();
  if (identifier) return explained(organization, identifier, /\bwhy\b|\bwait/i.test(question));
  if (/\b(?:blocked|blocks|blockers?|stuck)\b/i.test(question)) return blocked(organization);
  if (/\b(?:learn(?:ed|t)?|lessons?)\b/i.test(question)) return learned(organization);
  return told(organization, question);
}

async function* created(
  organization: Organization,
  objective: string,
  ownerAgentProfileKey: string | undefined,
): AsyncGenerator<string, void> {
  const title = cut(objective.split('\n')[0]!, MAX_TITLE);
  const task = await organization.create({
    title,
    objective,
    ...(ownerAgentProfileKey ? { ownerAgentProfileKey } : {}),
  });
  if ('refusal' in task) return yield `I could not create the task: ${task.refusal}\n`;
  yield `I created ${named(task)}.\n`;
  yield `Ask me for the status of ${task.identifier} at any time.\n`;
}

async function* explained(
  organization: Organization,
  identifier: string,
  asksWhy: boolean,
): AsyncGenerator<string, void> {
  const task = await organization.task(identifier);
  if (!task) return yield `There is no task ${identifier}.\n`;
  yield `${named(task)} is ${task.status}, in its phase ${task.phase}.\n`;
  const { blockers, activeRunIds } = task.state;
  for (const id of activeRunIds) yield `Run ${id} is at work on it.\n`;
  for (const blocker of blockers) yield `${await held(blocker, organization)}\n`;
  const outcome = task.result?.kind === 'completed' ? task.result.summary : task.result?.message;
  if (outcome) yield `It ended with: ${cut(outcome, 1_000)}\n`;
  else if (activeRunIds.length + blockers.length === 0) yield `${idle(task)}\n`;
  if (asksWhy) yield `Owners see capacity and deadlines too, at /tasks/${identifier}/why.\n`;
}

async function* blocked(organization: Organization): AsyncGenerator<string, void> {
  const tasks = await organization.blocked();
  if (tasks.length === 0) return yield 'Nothing is blocked.\n';
  for (const task of tasks) {
    yield `${named(task)} is blocked.\n`;
    for (const blocker of task.state.blockers) yield `- ${await held(blocker, organization)}\n`;
  }
}

async function* learned(organization: Organization): AsyncGenerator<string, void> {
  const profiles = (await organization.lessons()).filter(({ memory }) => memory && memory.lessons.length > 0);
  if (profiles.length === 0) return yield 'Nobody has learned anything yet.\n';
  for (const { profileName, memory } of profiles) {
    yield `${profileName} has learned:\n`;
    for (const { lesson } of memory!.lessons.slice(0, MAX_LESSONS)) yield `- ${cut(lesson, 300)}\n`;
  }
}

/** Quotes what is known, and cites where it stands. */
async function* told(organization: Organization, question: string): AsyncGenerator<string, void> {
  const known = await organization.known(question);
  if (known.length === 0) return yield* help();
  yield 'This is known about it:\n';
  for (const { title, text, file, at } of known) yield `- ${title}: “${quote(text, question)}” (${file}, ${at})\n`;
}

async function* help(): AsyncGenerator<string, void> {
  yield 'I know the tasks of this organization. ';
  yield 'Ask me, for one:\n';
  yield '- what do we know about our customers?\n';
  yield '- what has growth learned?\n';
  yield '- what is the status of ENG-7?\n';
  yield '- why is ENG-7 waiting?\n';
  yield '- what is blocked?\n';
  yield '- create a task: find out why checkout fails\n';
  yield '- create a task for growth: rank the customers\n';
}

/** Tells what a task waits for, and who can change that. */
async function held(blocker: Blocker, organization: Organization): Promise<string> {
  switch (blocker.kind) {
    case 'dependency':
    case 'dependency_failed': {
      const task = await organization.task(blocker.dependsOnTaskId);
      const name = task ? `${named(task)}, which is ${task.status}` : 'a task that is gone';
      const remedy = blocker.kind === 'dependency' ? '' : ': an owner can retry that one, or waive the dependency';
      return `It waits for ${name}${remedy}.`;
    }
    case 'integration':
      return `It waits until the connector ${blocker.connectorKey} is set up.`;
    case 'action':
      return 'It waits for a decision on an action.';
    default:
      return 'It waits for an owner, in the inbox.';
  }
}

function idle({ status, scheduledAt }: Task): string {
  if (status !== 'pending') return 'No run is at work on it.';
  return scheduledAt && Date.parse(scheduledAt) > Date.now()
    ? `It is scheduled for ${scheduledAt}.`
    : 'No run is at work on it: it waits for a runtime that takes it.';
}

const named = ({ identifier, title }: Task): string => `${identifier} “${title}”`;
