import type { KnowledgeRecord, WorkManifest } from '../api.ts';
import { AgentFailure } from '../failure.ts';
import { compare } from '../files/graph.ts';
import { quote } from '../text.ts';
import { type Agent, type Delivery, type Finding, type Finished, table, type Work } from './agent.ts';
import { euros, type Order, rankCustomers, readOrders } from './growth.ts';

/** What discovery has to go by. */
interface Sources {
  readonly organization: WorkManifest['organization'];
  readonly orders: readonly Order[];
  /** What owners brought in when the organization began, by title and how it begins. */
  readonly material: readonly Material[];
}

interface Material {
  readonly title: string;
  readonly begins: string;
}

interface Found {
  readonly title: string;
  readonly finding: string;
  /** Rows that show it. */
  readonly shown: readonly (readonly (string | number)[])[];
}

/**
 * Finds out what a new organization is about. A research task of the operator has one of three topics; a department's finds
 * out what it can begin with. Publishes what it found with its own report as evidence: only a task that leaves a record is
 * done.
 */
export const discovery: Agent = async (work) => {
  const [, topic = ''] = work.manifest.task.dedupeKey.split(':');
  const research = RESEARCH[topic];
  if (research) return researched(work, topic, research);
  if (work.manifest.profile.department === topic) return begun(work, topic);
  throw new AgentFailure('unknown_topic', `Discovery of ${topic} is not known here`, 'config');
};

const RESEARCH: Readonly<Record<string, (sources: Sources) => Found>> = {
  company_profile: companyProfile,
  market,
  customers,
};

async function researched(work: Work, topic: string, research: (sources: Sources) => Found): Promise<Finished> {
  const { organization } = work.manifest;
  const found = await work.step('research', async () => {
    const material = (await work.records('material')).map(begins);
    return research({ organization, material, orders: await ordersOf(work) });
  });
  return retain(work, topic.replaceAll('_', '-'), found, 'organization');
}

/** What a department can begin with: what is known to it. */
async function begun(work: Work, department: string): Promise<Finished> {
  const found = await work.step('read', async (): Promise<Found> => {
    const known = (await work.records()).filter(({ metadata }) => metadata.key !== `${department}-begins`);
    known.sort((a, b) => compare(a.metadata.title, b.metadata.title));
    return {
      title: `What ${department} begins with`,
      finding: `${department} begins with ${known.length} records, which its report lists.`,
      shown: known.map(({ metadata }) => [metadata.title, quote(metadata.finding, metadata.title)]),
    };
  });
  return retain(work, `${department}-begins`, found, 'department');
}

async function retain(work: Work, key: string, found: Found, visibility: Finding['visibility']): Promise<Finished> {
  const { title, finding, shown } = found;
  const report: Delivery = {
    kind: 'discovery',
    name: `${key}.md`,
    mediaType: 'text/markdown',
    text: `${[`# ${title}`, finding, ...(shown.length > 0 ? [table(['what', 'so far'], shown)] : [])].join('\n\n')}\n`,
  };
  const record = { key, title, finding, applicability: 'As found when the organization began', visibility };
  await work.publish(record, report);
  return { kind: 'completed', summary: finding, deliveries: [report] };
}

function companyProfile({ organization, material }: Sources): Found {
  const { name, website, timezone, defaultCurrency } = organization;
  const facts = [
    website ? `its website is ${website}` : 'it has named no website',
    `its days begin by the time of ${timezone}`,
    defaultCurrency ? `it counts in ${defaultCurrency}` : 'it has named no currency',
  ];
  const brought =
    material.length > 0
      ? `It brought in ${material.length} documents: ${listed(material.map(({ title }) => title))}.`
      : 'It brought in no documents.';
  return {
    title: `Profile of ${name}`,
    finding: `${name}: ${facts.join(', ')}. ${brought}`,
    shown: material.map(({ title, begins }) => [title, begins]),
  };
}

function market({ organization: { name }, orders, material }: Sources): Found {
  const title = `Market of ${name}`;
  if (orders.length === 0) return notYet(title, `how ${name} reaches its customers`, material);
  const channels = [...Map.groupBy(orders, ({ channel }) => channel)]
    .map(([channel, own]) => ({ channel, orders: own.length, cents: own.reduce((sum, { cents }) => sum + cents, 0) }))
    .sort((a, b) => b.cents - a.cents);
  const shares = channels.map(({ channel, cents }) => `${channel} ${euros(cents)}`);
  return {
    title,
    finding: `${orders.length} paid orders reached ${name} by ${channels.length} channels: ${listed(shares)}.`,
    shown: channels.map(({ channel, orders: count, cents }) => [channel, `${count} orders, ${euros(cents)}`]),
  };
}

function customers({ organization: { name }, orders, material }: Sources): Found {
  const title = `Customers of ${name}`;
  if (orders.length === 0) return notYet(title, `who the customers of ${name} are`, material);
  const ranking = rankCustomers(orders);
  const first = ranking.slice(0, LARGEST).map(({ customer, revenueCents }) => `${customer} (${euros(revenueCents)})`);
  return {
    title,
    finding: `${ranking.length} customers have paid ${name}. The largest are ${listed(first)}.`,
    shown: ranking.map(({ customer, orders: count, revenueCents }) => [
      customer,
      `${count} orders, ${euros(revenueCents)}`,
    ]),
  };
}

const LARGEST = 5;

/** What is not known is a finding too: it says what to bring. */
function notYet(title: string, what: string, material: readonly Material[]): Found {
  const where = material.length > 0 ? `, unless these say it: ${listed(material.map((each) => each.title))}` : '';
  return {
    title,
    finding: `No orders say yet ${what}${where}.`,
    shown: material.map(({ title: name, begins }) => [name, begins]),
  };
}

async function ordersOf(work: Work): Promise<Order[]> {
  const path = work.companyFiles.find((each) => each.endsWith('orders.csv'));
  return path ? readOrders(await work.read(path), path).filter(({ status }) => status === 'paid') : [];
}

function begins({ metadata: { title, finding } }: KnowledgeRecord): Material {
  return { title, begins: quote(finding, '') };
}

const SHOWN = 12;

/** Names in a sentence; of many the first ones. */
function listed(names: readonly string[]): string {
  return names.length > SHOWN
    ? `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} more`
    : names.join(', ');
}
