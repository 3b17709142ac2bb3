import type { CreateTask, StagedOutcome } from '../api.ts';
import { AgentFailure } from '../failure.ts';
import { compare } from '../files/graph.ts';
import { type Agent, asJson, type Finished, table, type Work } from './agent.ts';
import type { BugLocation } from './engineering.ts';
import { euros, type Ranking } from './growth.ts';
import { known } from './known.ts';
import type { Ticket, TicketGroup } from './support.ts';

/**
 * Splits an objective among the departments, and joins their results into one report once they have delivered. In between it
 * asks a person whom to answer first, and proposes to tell that customer, where the task names a webhook for it. A task
 * without inputs it answers from what is known.
 */
export const operator: Agent = async (work) => {
  const { children, mode } = work.manifest;
  if (children.length > 0) return join(work, children);
  return mode === 'execute' && work.inputs.length === 0 ? known(work) : plan(work);
};

type Child = Work['manifest']['children'][number];

const completionOf = ({ result }: Child) => (result?.kind === 'completed' ? result : undefined);

async function plan(work: Work): Promise<Finished> {
  const operations = planFor(work.inputs);
  const summary = `Split into ${operations.length} tasks: ${operations.map(({ title }) => title).join('; ')}`;
  const outcome: StagedOutcome = {
    kind: 'planned',
    summary,
    expectedGraphRevision: work.manifest.plan.graphRevision,
    operations,
  };
  await work.stage(outcome);
  return { kind: 'planned', summary };
}

/**
 * Chooses the department by the form of each input. Engineering waits for support if both have work, because users'
 * reports tell where to look.
 */
export function planFor(inputs: readonly string[]): CreateTask[] {
  const uris = (paths: readonly string[]) => paths.map((path) => ({ kind: 'uri' as const, uri: `workspace:${path}` }));
  const [csv, mbox] = ['.csv', '.mbox'].map((end) => inputs.filter((path) => path.endsWith(end))) as [
    string[],
    string[],
  ];
  const folders = inputs.filter((path) => !/\.\w+$/.test(path));
  const operations: CreateTask[] = [];
  if (csv.length > 0)
    operations.push({
      kind: 'create_task',
      ref: 'growth',
      title: 'Find the customers that matter',
      ownerAgentProfileKey: 'growth',
      spec: { objective: 'Rank customers, products and channels by what they paid for.', inputs: uris(csv) },
    });
  if (mbox.length > 0)
    operations.push({
      kind: 'create_task',
      ref: 'support',
      title: 'Triage the mailbox',
      ownerAgentProfileKey: 'support',
      spec: { objective: 'Say what people want, what is urgent, and which bugs they report.', inputs: uris(mbox) },
    });
  if (folders.length > 0)
    operations.push({
      kind: 'create_task',
      ref: 'engineering',
      title: 'Map the source and find the reported bugs',
      ownerAgentProfileKey: 'engineering',
      spec: { objective: 'Map the source tree; find the places that bug reports point at.', inputs: uris(folders) },
      ...(mbox.length > 0
        ? { dependsOn: [{ taskRef: 'support', condition: { kind: 'artifact', artifactKind: 'bug-reports' } }] }
        : {}),
    });
  if (operations.length === 0)
    throw new AgentFailure('nothing_to_plan', 'No input is a CSV file, a mailbox or a folder', 'config');
  return operations;
}

async function join(work: Work, children: readonly Child[]): Promise<Finished> {
  const missing = children.filter(({ status }) => status !== 'completed');
  if (missing.length > 0) {
    const names = missing.map(({ identifier, status }) => `${identifier} is ${status}`).join(', ');
    throw new AgentFailure('department_failed', `The objective needs every department, but ${names}`);
  }
  const json = async <T>(kind: string): Promise<T[]> => JSON.parse((await work.delivered(kind)) ?? '[]') as T[];
  const triage = JSON.parse((await work.delivered('triage')) ?? '{}') as { groups?: TicketGroup[]; tickets?: Ticket[] };
  const attention = await work.step('join', async () =>
    whoNeedsAttention(await json<Ranking>('customer-ranking'), triage.groups ?? [], await json('bug-locations')),
  );
  const wait = await firstAnswer(work, attention);
  if ('kind' in wait) return wait;
  // Not by identifier, because the same work has other numbers the next time, and the report must be the same.
  const byTitle = [...children].sort((a, b) => compare(a.title, b.title));
  const urgent = attention.filter((each) => each.urgent).length;
  const { first, decided } = wait;
  const summary =
    `${children.length} departments delivered. ${attention.length} paying customers have written about something open, ` +
    `${urgent} of them about something urgent` +
    (first ? `; answer ${first.customer} first (rank ${first.rank}, ${first.topics[0]}).` : '.');
  const report = [
    `# ${work.manifest.task.title}`,
    work.manifest.task.spec.objective,
    `**Result.** ${summary}`,
    '## Whom to answer first',
    table(
      ['rank', 'customer', 'revenue', 'urgent', 'wrote about', 'look at'],
      attention.map(({ rank, customer, revenueCents, urgent, topics, places }) => {
        return [
          rank,
          customer,
          euros(revenueCents),
          urgent ? 'yes' : 'no',
          topics.join('; '),
          places.join(', ') || '-',
        ];
      }),
    ),
    ...(decided.length > 0 ? ['## What people decided', table(['matter', 'decision'], decided)] : []),
    '## What each department says',
    table(
      ['task', 'summary'],
      byTitle.map((child) => [child.title, completionOf(child)?.summary ?? '']),
    ),
    '## Where it stands',
    table(
      ['task', 'artifact', 'SHA-256'],
      byTitle.flatMap((child) =>
        (completionOf(child)?.artifacts ?? []).map(({ name, sha256 }) => [child.title, name, sha256 ?? '']),
      ),
    ),
  ].join('\n\n');
  return {
    kind: 'completed',
    summary,
    deliveries: [
      { kind: 'report', name: 'report.md', mediaType: 'text/markdown', text: `${report}\n` },
      { kind: 'attention', name: 'attention.json', mediaType: 'application/json', text: asJson(attention) },
    ],
  };
}

const QUESTION = 'Whom do we answer first?';
/** Customers to choose from. */
const CHOICES = 3;

interface FirstAnswer {
  readonly first: Attention | undefined;
  /** What people decided about it. */
  readonly decided: readonly (readonly [string, string])[];
}

/**
 * Lets people decide: first whom to answer, then whether to tell them. Each time the run ends, and the next one gets here
 * again with the decision in its manifest. What nobody decided in time goes by the recommendation, without telling anybody.
 */
async function firstAnswer(work: Work, attention: readonly Attention[]): Promise<FirstAnswer | Finished> {
  const { manifest } = work;
  const choices = attention.slice(0, CHOICES);
  if (choices.length < 2) return { first: choices[0], decided: [] };
  const answer = manifest.answers.find(({ title }) => title === QUESTION);
  if (!answer) return ask(work, choices);
  const first = choices.find(({ rank }) => optionOf(rank) === answer.optionId) ?? choices[0]!;
  const choice = answer.response ? first.customer : `nobody answered, so ${first.customer}`;
  const title = `Tell ${first.customer} that we are at it`;
  const decided: [string, string][] = [[QUESTION, choice]];
  if (!answer.response || work.webhookId === undefined) return { first, decided };
  const decision = manifest.decisions.at(0);
  if (decision) return { first, decided: [...decided, [title, decision.status.replaceAll('_', ' ')]] };
  const actionId = await work.propose({
    key: 'tell-first',
    toolName: work.webhookId,
    arguments: { customer: first.customer, about: first.topics[0] },
    title,
    summary: `Sends our receiver of messages the customer and what it is about (${first.topics[0]}), once.`,
  });
  return { kind: 'action_wait', summary: `Waits for approval: ${title}`, actionIds: [actionId] };
}

async function ask(work: Work, choices: readonly Attention[]): Promise<Finished> {
  const inboxItemId = await work.ask({
    key: 'whom-first',
    title: QUESTION,
    body: 'Several customers wait for an answer about something open, and we write to one of them first.',
    presentation: {
      recommendation: `${choices[0]!.customer}: urgent matters first, then those who pay most.`,
      options: choices.map(({ rank, customer, urgent, topics }) => {
        return { id: optionOf(rank), label: `${customer}: ${topics[0]}${urgent ? ' (urgent)' : ''}` };
      }),
      recommendedOptionId: optionOf(choices[0]!.rank),
      allowFreeText: false,
    },
  });
  return { kind: 'handoff', summary: `Asked: ${QUESTION}`, inboxItemId };
}

const optionOf = (rank: number) => `rank-${rank}`;

interface Attention {
  readonly rank: number;
  readonly customer: string;
  readonly revenueCents: number;
  readonly urgent: boolean;
  readonly topics: readonly string[];
  /** Lines of the source that their bugs lead to. */
  readonly places: readonly string[];
}

/**
 * Customers who wrote about bugs or money, grouped by the domain of their address; urgent ones first, then by revenue.
 */
export function whoNeedsAttention(
  ranking: readonly Ranking[],
  groups: readonly TicketGroup[],
  locations: readonly BugLocation[],
): Attention[] {
  return ranking
    .map(({ rank, customer, domain, revenueCents }) => {
      const own = groups.filter(
        ({ category, domains }) => ['bug', 'refund'].includes(category) && domains.includes(domain),
      );
      const topics = own.toSorted((a, b) => Number(b.urgent) - Number(a.urgent)).map(({ topic }) => topic);
      const places = locations.filter(({ topic, found }) => found && topics.includes(topic)).map(({ frame }) => frame);
      return { rank, customer, revenueCents, urgent: own.some(({ urgent }) => urgent), topics, places };
    })
    .filter(({ topics }) => topics.length > 0)
    .sort((a, b) => Number(b.urgent) - Number(a.urgent) || a.rank - b.rank);
}
