import { AgentFailure } from '../failure.ts';
import { compare } from '../files/graph.ts';
import { addressOf, parseMbox } from '../files/mbox.ts';
import { type Agent, asJson, table } from './agent.ts';
import { CATEGORIES, type Category, classify } from './triage-rules.ts';

export interface Ticket {
  readonly messageId: string;
  readonly date: string;
  readonly domain: string;
  readonly subject: string;
  readonly category: Category;
  readonly score: number;
  /** Names of the rules that matched, so that people can check the verdict. */
  readonly rules: readonly string[];
  readonly urgent: boolean;
}

/** Messages about one subject. Groups are numbered in the order of their first message. */
export interface TicketGroup {
  readonly topic: string;
  readonly category: Category;
  readonly urgent: boolean;
  readonly domains: readonly string[];
  readonly messageIds: readonly string[];
  /** `file:line` of stack traces, the innermost first. */
  readonly frames: readonly string[];
}

/** Reads a mailbox and reports what people want, what is urgent, and which messages are about the same subject. */
export const support: Agent = async (work) => {
  const path = work.inputs.find((each) => each.endsWith('.mbox'));
  if (!path) throw new AgentFailure('input_missing', 'The task names no mailbox file', 'config');
  const { tickets, frames } = await work.step('triage', async () => triage(await work.read(path), path));
  const groups = await work.step('groups', () => groupTickets(tickets, frames));
  const bugs = groups.filter(({ category }) => category === 'bug');
  const summary =
    `${tickets.length} messages are about ${groups.length} things. ${bugs.length} are bugs, reported in ` +
    `${bugs.reduce((count, { messageIds }) => count + messageIds.length, 0)} messages; ` +
    `${groups.filter(({ urgent }) => urgent).length} are urgent.`;
  const counts = CATEGORIES.map((category) => {
    const own = groups.filter((group) => group.category === category);
    return [category, own.length, own.reduce((count, { messageIds }) => count + messageIds.length, 0)];
  });
  const report = [
    '# What people write',
    summary,
    table(['category', 'things', 'messages'], counts),
    '## Answer first',
    table(
      ['topic', 'category', 'messages', 'from'],
      groups
        .filter(({ urgent }) => urgent)
        .map(({ topic, category, messageIds, domains }) => [topic, category, messageIds.length, domains.join(', ')]),
    ),
    '## Bugs',
    table(
      ['topic', 'messages', 'where it broke'],
      bugs.map(({ topic, messageIds, frames }) => [topic, messageIds.length, frames[0] ?? 'no stack trace']),
    ),
  ].join('\n\n');
  return {
    kind: 'completed',
    summary,
    deliveries: [
      { kind: 'department-report', name: 'support-report.md', mediaType: 'text/markdown', text: `${report}\n` },
      { kind: 'triage', name: 'triage.json', mediaType: 'application/json', text: asJson({ groups, tickets }) },
      { kind: 'bug-reports', name: 'bug-reports.json', mediaType: 'application/json', text: asJson(bugs) },
    ],
  };
};

interface Triage {
  readonly tickets: Ticket[];
  /** Frames of stack traces, by message id. */
  readonly frames: Record<string, string[]>;
}

export function triage(text: string, name: string): Triage {
  const frames: Record<string, string[]> = {};
  const tickets = parseMbox(text, name).map(({ headers, body }, index) => {
    const { from, subject = '(no subject)', date = '' } = headers;
    if (!from) throw new AgentFailure('mbox_malformed', `${name}, message ${index + 1} has no From header`, 'config');
    const messageId = headers['message-id'] ?? `message-${index + 1}`;
    const trace = body.matchAll(/^\s+at .*?((?:src|migrations)\/[\w./-]+\.ts:\d+)/gm);
    frames[messageId] = [...new Set(Array.from(trace, ([, frame]) => frame!))];
    const domain = addressOf(from).split('@')[1] ?? '';
    const { category, score, rules, urgent } = classify(subject, body);
    return { messageId, date, domain, subject, category, score, rules, urgent };
  });
  return { tickets, frames };
}

/**
 * Groups messages whose subjects are equal without reply marks, case, punctuation and numbers. A group has the category
 * of most of its messages, and is urgent if one of them is.
 */
export function groupTickets(tickets: readonly Ticket[], frames: Readonly<Record<string, string[]>>): TicketGroup[] {
  const groups = Map.groupBy(tickets, ({ subject, category }) =>
    category === 'spam' ? `spam: ${topicOf(subject)}` : topicOf(subject),
  );
  return [...groups.values()].map((own) => {
    const votes = CATEGORIES.map((category) => own.filter((ticket) => ticket.category === category).length);
    return {
      topic: own[0]!.subject.replace(REPLY_MARKS, ''),
      category: CATEGORIES[votes.indexOf(Math.max(...votes))]!,
      urgent: own.some(({ urgent }) => urgent),
      domains: [...new Set(own.map(({ domain }) => domain))].sort(compare),
      messageIds: own.map(({ messageId }) => messageId),
      frames: [...new Set(own.flatMap(({ messageId }) => frames[messageId] ?? []))],
    };
  });
}

const REPLY_MARKS = /^(?:\s*(?:re|aw|fwd?|wg)\s*:\s*|\s*\[[^\]]*\]\s*)+/i;

function topicOf(subject: string): string {
  const words =
    subject
      .replace(REPLY_MARKS, '')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  return words.filter((word) => word.length > 2).join(' ');
}
