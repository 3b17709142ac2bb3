import type { CreateTask, StagedOutcome } from '../api.ts';
import { AgentFailure } from '../failure.ts';
import { compare } from '../files/graph.ts';
import { type Agent, asJson, type Finished, table, type Work } from './agent.ts';
import type { BugLocation } from './engineering.ts';
import { euros, type Ranking } from './growth.ts';
import type { Ticket, TicketGroup } from './support.ts';

/** Splits an objective among the departments, and joins their results into one report once they have delivered. */
export const operator: Agent = async (work) => {
  const { children } = work.manifest;
  return children.length === 0 ? plan(work) : join(work, children);
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
  // Not by identifier, because the same work has other numbers the next time, and the report must be the same.
  const byTitle = [...children].sort((a, b) => compare(a.title, b.title));
  const urgent = attention.filter((each) => each.urgent).length;
  const first = attention[0];
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
