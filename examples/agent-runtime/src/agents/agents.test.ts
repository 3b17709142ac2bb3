import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { KnowledgeRecord, StagedOutcome, WholeRecord, WorkManifest } from '../api.ts';
import { makeOrders } from '../../data/make-orders.ts';
import { Workspace } from '../workspace.ts';
import type { Agent, BranchChange, Connector, Delivery, Finding, Finished, Pushed, Work } from './agent.ts';
import { discovery } from './discovery.ts';
import { engineering, locateBugs, readSource } from './engineering.ts';
import { growth, rankCustomers, readOrders } from './growth.ts';
import { learning } from './learning.ts';
import { operator, planFor, whoNeedsAttention } from './operator.ts';
import { groupTickets, support, triage } from './support.ts';
import { classify } from './triage-rules.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const DATA = 'examples/agent-runtime/data';
const HEADER =
  'order_id,ordered_on,customer,contact,country,channel,product,quantity,unit_price,discount_percent,status,note';

describe('growth', () => {
  it('works on the orders that their script makes', () => {
    expect(readFileSync(new URL('../../data/orders.csv', import.meta.url), 'utf8')).toBe(makeOrders());
  });

  it('ranks customers by what they paid, in cents', () => {
    const row = (id: number, company: string, quantity: number, price: string, discount: number, status = 'paid') =>
      `${id},2026-05-01,${company},a@${company}.example,DE,website,Plan,${quantity},${price},${discount},${status},`;
    const orders = readOrders(
      [HEADER, row(1, 'b', 3, '0.10', 0), row(2, 'a', 1, '9.99', 15), row(3, 'b', 2, '5.00', 0)].join('\n'),
      'x',
    );
    expect(rankCustomers(orders)).toMatchObject([
      { rank: 1, customer: 'b', orders: 2, revenueCents: 1030, shareBasisPoints: 5482, cumulativeBasisPoints: 5482 },
      { rank: 2, customer: 'a', domain: 'a.example', revenueCents: 849, cumulativeBasisPoints: 10_000 },
    ]);
  });

  it('refuses a file that it cannot read right', () => {
    const bad = (line: string) => () => readOrders(`${HEADER}\n${line}\n`, 'orders.csv');
    expect(bad('1,2026-05-01,a')).toThrow('line 2: 3 fields where the header has 12');
    expect(bad('1,2026-05-01,a,a@a.example,DE,web,Plan,two,1.00,0,paid,')).toThrow('order 1: quantity is "two"');
  });

  it('asks the largest customer that gave something back, where there is a connector, and waits for people', async () => {
    const calls: unknown[] = [];
    const waiting = new Map([['message_customer', 'action 1']]);
    let note = '';
    const connector: Connector = {
      key: 'mcp-orders',
      offers: () => true,
      read: (tool, args) => {
        calls.push([tool, args]);
        return Promise.resolve({ orders: [{ order_id: 'ORD-0300', note }] });
      },
      act: (tool, { order_id }) => {
        calls.push([tool, order_id]);
        const actionId = waiting.get(tool);
        return Promise.resolve(actionId === undefined ? { kind: 'done', result: {} } : { kind: 'waits', actionId });
      },
    };
    const work = (more: Partial<Work>) => workWith([`${DATA}/orders.csv`], {}, more);
    const first = await growth(work({ connector: () => connector }));
    expect(first).toMatchObject({ kind: 'action_wait', actionIds: ['action 1'] });
    const { customer } = (calls[0] as [string, { customer: string }])[1];
    expect(calls).toEqual([
      ['list_orders', { customer, status: 'refunded', limit: 1 }],
      ['note_order', 'ORD-0300'],
      ['message_customer', 'ORD-0300'],
    ]);
    waiting.clear();
    const second = await growth(work({ connector: () => connector }));
    const reportOf = (finished: Finished) => (finished as Extract<Finished, { kind: 'completed' }>).deliveries[0]!.text;
    expect(reportOf(second)).toContain(`| ${customer} | ORD-0300 |`);
    const less: Connector = { ...connector, offers: (tool) => tool !== 'message_customer' };
    const silent: Connector = { ...connector, read: () => Promise.resolve(undefined) };
    for (const each of [less, silent, undefined])
      expect(reportOf(await growth(work({ connector: () => each })))).not.toContain('what went wrong');
    expect(calls).toHaveLength(6);
    note = 'renewal; wrote: What happened?';
    expect(reportOf(await growth(work({ connector: () => connector })))).not.toContain('what went wrong');
    expect(calls).toHaveLength(7);
  });

  it('delivers a report and a ranking', async () => {
    const done = await finish(growth, [`${DATA}/orders.csv`]);
    expect(done.deliveries.map(({ kind }) => kind)).toEqual(['department-report', 'customer-ranking']);
    expect(done.summary).toMatch(/^\d+ paid orders of \d+ customers bring €[\d,]+\.\d\d; /);
  });
});

describe('support', () => {
  const mailbox = readFileSync(new URL('../../data/mailbox.mbox', import.meta.url), 'utf8');

  it('says which rules made a message what it is', () => {
    expect(classify('Invoice', 'We were charged twice, please refund')).toEqual({
      category: 'refund',
      score: 5,
      rules: ['money-back', 'invoice'],
      urgent: false,
    });
    expect(classify('Hello', 'Our address changed.')).toMatchObject({ category: 'other', score: 0, rules: [] });
    expect(classify('Re: Wish', 'Thanks\n> it crashes in production').category).toBe('wish');
  });

  it('puts messages about one thing together', () => {
    const { tickets, frames } = triage(mailbox, 'mailbox.mbox');
    const groups = groupTickets(tickets, frames);
    expect(tickets).toHaveLength(36);
    expect(groups.find(({ topic }) => topic === 'List of organizations breaks on page two')).toMatchObject({
      category: 'bug',
      urgent: true,
      domains: ['delta-freight.example', 'harbour-pine.example'],
      frames: [
        expect.stringMatching(/^src\/kernel\/pagination\/cursor\.ts:\d+$/),
        expect.anything(),
        expect.anything(),
      ],
    });
    expect(groups.flatMap(({ messageIds }) => messageIds)).toHaveLength(36);
  });

  it('delivers a report, the triage and the bug reports', async () => {
    const done = await finish(support, [`${DATA}/mailbox.mbox`]);
    expect(done.deliveries.map(({ kind }) => kind)).toEqual(['department-report', 'triage', 'bug-reports']);
  });
});

describe('engineering', () => {
  it('pushes where the reported bugs are, and says so where a person let it', async () => {
    const bugs = JSON.stringify([
      { topic: 'crash', category: 'bug', urgent: true, messageIds: ['1'], domains: [], frames: ['src/main.ts:1'] },
    ]);
    const changes: BranchChange[] = [];
    let pushed: Pushed = { kind: 'waits', actionId: 'action 1' };
    const repository = {
      name: 'demo/shop',
      push: (change: BranchChange) => (changes.push(change), Promise.resolve(pushed)),
    };
    const work = (more: Partial<Work>) => workWith(['src'], { 'bug-reports': bugs }, more);
    const first = await engineering(work({ repository: () => repository }));
    expect(first).toMatchObject({ kind: 'action_wait', actionIds: ['action 1'] });
    const commit = 'c'.repeat(40);
    pushed = { kind: 'done', commit };
    const reportOf = (finished: Finished) => (finished as Extract<Finished, { kind: 'completed' }>).deliveries[0]!.text;
    expect(reportOf(await engineering(work({ repository: () => repository })))).toContain(
      `| demo/shop | reported-bugs | ${commit} |`,
    );
    expect(changes[1]).toEqual(changes[0]);
    pushed = { kind: 'refused', reason: 'a person rejected it' };
    expect(reportOf(await engineering(work({ repository: () => repository })))).not.toContain('demo/shop');
    expect(reportOf(await engineering(work({})))).not.toContain('demo/shop');
  });

  it('reads sizes, imports and unfinished places of a file', () => {
    const text =
      "import { a } from './a.ts';\nimport type { B } from './b.ts';\nimport pg from 'pg';\n// FIXME: later\nconst t = '// TODO';\n";
    expect(readSource('src/x.ts', text, new Set(['src/a.ts', 'src/b.ts']))).toEqual({
      path: 'src/x.ts',
      bytes: 119,
      lines: 5,
      imports: ['src/a.ts', 'src/b.ts'],
      runtimeImports: ['src/a.ts'],
      packages: ['pg'],
      markers: [{ line: 4, text: 'FIXME: later' }],
    });
  });

  it('takes the innermost frame that the source has', () => {
    const bug = { topic: 't', category: 'bug', urgent: true, domains: [], messageIds: ['1'] } as const;
    const file = { path: 'src/a.ts', bytes: 1, lines: 9, imports: [], runtimeImports: [], packages: [], markers: [] };
    const locate = (frames: string[]) => locateBugs([{ ...bug, frames }], [file], new Map([['src/a.ts', 2]]))[0];
    expect(locate(['src/gone.ts:3', 'src/a.ts:9'])).toMatchObject({ frame: 'src/a.ts:9', found: true, importedBy: 2 });
    expect(locate(['src/a.ts:10'])).toMatchObject({ frame: 'src/a.ts:10', found: false, fileLines: 9 });
  });

  it('maps this repository and finds what support heard of', async () => {
    const bugs = (await finish(support, [`${DATA}/mailbox.mbox`])).deliveries[2]!.text;
    const done = await finish(engineering, ['src'], { 'bug-reports': bugs });
    const map = JSON.parse(done.deliveries[2]!.text) as { path: string; imports: string[] }[];
    expect(map.find(({ path }) => path === 'src/main.ts')!.imports).toContain('src/app.setup.ts');
    const found = (JSON.parse(done.deliveries[1]!.text) as { found: boolean }[]).filter(({ found }) => found);
    expect(found.length).toBeGreaterThanOrEqual(3);
  });
});

describe('the operator', () => {
  it('gives each input to the department that can use it', () => {
    const operations = planFor(['a/orders.csv', 'b/mail.mbox', 'src']);
    expect(operations.map(({ ref, dependsOn }) => [ref, dependsOn?.map(({ taskRef }) => taskRef)])).toEqual([
      ['growth', undefined],
      ['support', undefined],
      ['engineering', ['support']],
    ]);
    expect(planFor(['src'])).toMatchObject([{ ref: 'engineering' }]);
    expect(() => planFor(['picture.png'])).toThrow('No input is');
  });

  it('puts urgent customers first, then the larger ones', () => {
    const rank = (rank: number, domain: string) => {
      return {
        rank,
        customer: domain,
        domain,
        orders: 1,
        revenueCents: 1,
        shareBasisPoints: 1,
        cumulativeBasisPoints: 1,
      };
    };
    const group = (topic: string, urgent: boolean, ...domains: string[]) => {
      return { topic, category: 'bug' as const, urgent, domains, messageIds: ['1'], frames: [] };
    };
    const place = {
      topic: 'crash',
      reports: 1,
      urgent: true,
      frame: 'src/a.ts:1',
      found: true,
      fileLines: 1,
      importedBy: 1,
    };
    const answer = whoNeedsAttention(
      [rank(1, 'quiet'), rank(2, 'mild'), rank(3, 'loud')],
      [group('slow', false, 'mild', 'loud'), group('crash', true, 'loud', 'stranger')],
      [place],
    );
    expect(answer.map(({ customer, topics, places }) => [customer, topics, places])).toEqual([
      ['loud', ['crash', 'slow'], ['src/a.ts:1']],
      ['mild', ['slow'], []],
    ]);
  });
});

describe('the operator, once its departments have delivered', () => {
  const ranking = [1, 2].map((rank) => {
    const customer = `Customer ${rank}`;
    return { rank, customer, domain: `${rank}.example`, orders: 1, revenueCents: 100 };
  });
  const group = { topic: 'It breaks', category: 'bug', urgent: false, messageIds: ['1'], frames: [] };
  const triaged = { groups: [{ ...group, domains: ['1.example', '2.example'] }], tickets: [] };
  const delivered = { 'customer-ranking': JSON.stringify(ranking), triage: JSON.stringify(triaged) };
  const answered = { title: 'Whom do we answer first?', optionId: 'rank-2', response: { text: 'rank-2' } };
  const next = async (people: { answers?: object[]; decisions?: object[] }) => {
    const asked: object[] = [];
    const manifest = {
      task: { title: 'Weekly review', spec: { objective: 'Say it' } },
      children: [{ status: 'completed', title: 'Rank', result: { kind: 'completed', summary: 'Ranked' } }],
      answers: [],
      decisions: [],
      ...people,
    } as unknown as WorkManifest;
    const work = workWith([], delivered, { manifest, webhookId: 'hook' });
    const noted = {
      ask: (question: object) => Promise.resolve(`item ${asked.push(question)}`),
      propose: (proposal: object) => Promise.resolve(`action ${asked.push(proposal)}`),
    };
    return { finished: await operator({ ...work, ...noted }), asked };
  };

  it('asks whom to answer first, and gives the task back', async () => {
    const { finished, asked } = await next({});
    expect(finished).toMatchObject({ kind: 'handoff', inboxItemId: 'item 1' });
    expect(asked).toMatchObject([
      {
        key: 'whom-first',
        presentation: { recommendedOptionId: 'rank-1', options: [{ id: 'rank-1' }, { id: 'rank-2' }] },
      },
    ]);
  });

  it('proposes to tell the one whom the person chose, and waits for that', async () => {
    const { finished, asked } = await next({ answers: [answered] });
    expect(finished).toMatchObject({ kind: 'action_wait', actionIds: ['action 1'] });
    expect(asked).toMatchObject([{ toolName: 'hook', arguments: { customer: 'Customer 2', about: 'It breaks' } }]);
  });

  it.each([
    ['succeeded', 'succeeded'],
    ['not_executed', 'not executed'],
    ['rejected', 'rejected'],
  ])('reports a decision that came to %s', async (status, said) => {
    const { finished, asked } = await next({ answers: [answered], decisions: [{ status }] });
    expect([finished.kind, asked]).toEqual(['completed', []]);
    const [report] = (finished as Extract<Finished, { kind: 'completed' }>).deliveries;
    expect(report!.text).toContain(`| Whom do we answer first? | Customer 2 |`);
    expect(report!.text).toContain(`| Tell Customer 2 that we are at it | ${said} |`);
  });

  it('goes by its own recommendation, and tells nobody, where nobody answered in time', async () => {
    const expired = { ...answered, optionId: null, response: null };
    const { finished, asked } = await next({ answers: [expired] });
    expect([finished.kind, asked]).toEqual(['completed', []]);
    expect(finished.summary).toContain('answer Customer 1 first');
  });
});

/** A record of knowledge, as far as agents look at it. */
function record(title: string, finding: string, evidence: object[] = []): WholeRecord {
  return { id: `id of ${title}`, metadata: { key: title, title, finding, evidence } } as unknown as WholeRecord;
}

describe('discovery', () => {
  const organization = { name: 'Acme', website: null, timezone: 'Europe/Berlin', defaultCurrency: 'EUR' };
  const published: { finding: Finding; shownBy: Delivery }[] = [];
  /** The only record that the task of a topic leaves. */
  const discover = async (topic: string, more: Partial<Work> = {}, department: string | null = null) => {
    const manifest = { organization, profile: { department }, task: { dedupeKey: `discovery:${topic}:1` } };
    published.length = 0;
    const publish: Work['publish'] = (finding, shownBy) => {
      published.push({ finding, shownBy });
      return Promise.resolve(record(finding.title, finding.finding));
    };
    const done = await discovery(workWith([], {}, { manifest: manifest as unknown as WorkManifest, publish, ...more }));
    expect(done).toMatchObject({ kind: 'completed', deliveries: [published[0]!.shownBy] });
    return published[0]!;
  };
  const material: KnowledgeRecord[] = [record('prices.pdf', 'The small plan costs 29 euros. It has one seat.')];

  it('says who pays, by which way, of a company that shows its orders', async () => {
    const companyFiles = [`${DATA}/mailbox.mbox`, `${DATA}/orders.csv`];
    expect((await discover('customers', { companyFiles })).finding).toMatchObject({
      key: 'customers',
      visibility: 'organization',
      finding: expect.stringMatching(/^28 customers have paid Acme\. The largest are Kestrel Foods \(€42,360\.90\), /),
    });
    expect((await discover('market', { companyFiles })).finding.finding).toMatch(
      /^295 paid orders reached Acme by \d channels: [\w ]+ €/,
    );
  });

  it('goes by what owners brought in, and says what is not known yet', async () => {
    const { finding, shownBy } = await discover('company_profile', { records: () => Promise.resolve(material) });
    expect(finding).toMatchObject({
      key: 'company-profile',
      finding:
        'Acme: it has named no website, its days begin by the time of Europe/Berlin, it counts in EUR. ' +
        'It brought in 1 documents: prices.pdf.',
    });
    expect(shownBy.text).toContain('| prices.pdf | The small plan costs 29 euros. |');
    expect((await discover('customers')).finding.finding).toBe('No orders say yet who the customers of Acme are.');
  });

  it('leaves a department what it begins with, for itself', async () => {
    const { finding, shownBy } = await discover('growth', { records: () => Promise.resolve(material) }, 'growth');
    expect(finding).toMatchObject({ key: 'growth-begins', visibility: 'department' });
    expect(shownBy).toMatchObject({ kind: 'discovery', name: 'growth-begins.md' });
    await expect(discover('growth')).rejects.toThrow('Discovery of growth is not known here');
  });
});

describe('learning', () => {
  const ended = (taskId: string, title: string) => ({ taskId, identifier: taskId, title, status: 'completed' });
  const results: Record<string, object> = {
    'GRO-1': {
      kind: 'completed',
      summary: '28 customers pay.',
      artifacts: [{ path: 'a.md', uri: 'service://organizations/o/runs/r1/artifacts/0f' }],
    },
    'GRO-2': { kind: 'failed', message: 'line 3 is broken' },
    'GRO-3': { kind: 'cancelled' },
  };
  const learn = async (manifest: object) => {
    const staged: StagedOutcome[] = [];
    const asked: object[] = [];
    const done = await learning(
      workWith(
        [],
        {},
        {
          manifest: manifest as WorkManifest,
          task: (id) => Promise.resolve({ result: results[id] } as never),
          stage: (outcome) => Promise.resolve(void staged.push(outcome)),
          ask: (question) => Promise.resolve(`item ${asked.push(question)}`),
        },
      ),
    );
    expect(done.kind).toBe('learning');
    return { outcome: staged[0] as Extract<StagedOutcome, { kind: 'learning' }>, asked };
  };

  it('keeps what came out of each task with its evidence, and asks people about failures', async () => {
    const tasks = [ended('GRO-1', 'Rank them'), ended('GRO-2', 'Rank more'), ended('GRO-3', 'Rank less')];
    const { outcome, asked } = await learn({
      memory: null,
      learning: { sinceTaskId: null, tasks, answers: [], revoked: [] },
    });
    expect(outcome).toMatchObject({ expectedRevision: 0, watermarkTaskId: 'GRO-3' });
    expect(outcome.lessons).toEqual([
      {
        key: 'rank-them',
        lesson: '“Rank them” (GRO-1) came to this: 28 customers pay.',
        sourceTaskIds: ['GRO-1'],
        evidence: [{ runId: 'r1', sha256: '0f', path: 'a.md' }],
      },
    ]);
    expect(asked).toMatchObject([{ purpose: 'learning_input', body: 'GRO-2 failed: line 3 is broken' }]);
  });

  it('keeps what it had, but for what is newer or revoked, and learns from answers', async () => {
    const lessons = ['rank-them', 'old', 'wrong'].map((key) => ({ key, lesson: `${key} then` }));
    const answers = [{ inboxItemId: 'i1', question: 'What next time?', response: 'Send it back.' }];
    const { outcome } = await learn({
      memory: { revision: 3, lessons, truncated: false },
      learning: {
        sinceTaskId: 'GRO-0',
        tasks: [ended('GRO-1', 'Rank them')],
        answers,
        revoked: [{ key: 'wrong', lesson: 'wrong then', reason: 'no' }],
      },
    });
    expect(outcome).toMatchObject({ expectedRevision: 3, watermarkTaskId: 'GRO-1' });
    expect(outcome.lessons.map(({ key }) => key)).toEqual(['rank-them', 'answer-i1', 'old']);
    expect(outcome.lessons[1]).toMatchObject({
      lesson: 'Asked “What next time?”, a person said: Send it back.',
      humanInboxItemIds: ['i1'],
    });
  });
});

describe('a task of the operator without inputs', () => {
  const task = { title: 'What do returns cost?', spec: { objective: 'Answer it' } };
  const manifest = (context: object[]) => ({ task, mode: 'execute', children: [], context }) as unknown as WorkManifest;

  it('is answered from what is known, with the places', async () => {
    const found = record('terms.html', 'Returns are free.', [{ runId: null, path: 'terms.html', sha256: 'ab' }]);
    const work = workWith(
      [],
      {},
      {
        manifest: manifest([{ knowledgeId: 'k1', title: 'Terms', text: 'We are open. Returns are free.' }]),
        record: () => Promise.resolve(found),
      },
    );
    const done = (await operator(work)) as Extract<Finished, { kind: 'completed' }>;
    expect(done.summary).toBe('“Returns are free.” (terms.html)');
    expect(done.deliveries).toMatchObject([
      { kind: 'answer', text: expect.stringContaining('[1] terms.html, SHA-256 ab') },
    ]);
  });

  it('fails where nothing is', async () => {
    await expect(operator(workWith([], {}, { manifest: manifest([]) }))).rejects.toThrow('Nothing that is known');
  });
});

/** Runs an agent on this repository's files, without a backend. */
async function finish(agent: Agent, inputs: string[], delivered: Record<string, string> = {}) {
  return (await agent(workWith(inputs, delivered))) as Extract<Finished, { kind: 'completed' }>;
}

function workWith(inputs: string[], delivered: Readonly<Record<string, string>>, more: Partial<Work> = {}): Work {
  const workspace = new Workspace(ROOT);
  return {
    manifest: {} as WorkManifest,
    inputs,
    companyFiles: [],
    webhookId: undefined,
    read: (path) => workspace.read(path),
    list: (folder) => workspace.list(folder),
    // What a checkpoint keeps went through JSON.
    step: async <T>(_: string, work: () => T | Promise<T>) => JSON.parse(JSON.stringify(await work())) as T,
    delivered: (kind) => Promise.resolve(delivered[kind]),
    records: () => Promise.resolve([]),
    search: () => Promise.resolve([]),
    record: () => Promise.resolve(undefined),
    publish: () => Promise.resolve({ issue: undefined, refusal: 'none here' }),
    task: () => Promise.resolve(undefined),
    stage: () => Promise.resolve(),
    ask: () => Promise.resolve('item'),
    propose: () => Promise.resolve('action'),
    connector: () => undefined,
    repository: () => undefined,
    ...more,
  };
}
