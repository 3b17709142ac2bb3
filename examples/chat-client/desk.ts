/** Calls the service as the owner; rejects with a message for people. */
type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

interface Item {
  readonly id: string;
  readonly kind: 'question' | 'notification' | 'approval' | 'reconciliation';
  readonly title: string;
  readonly body: string;
  readonly presentation: {
    readonly recommendation?: string;
    readonly options?: readonly { readonly id: string; readonly label: string }[];
    readonly recommendedOptionId?: string;
  };
}
interface Action {
  readonly id: string;
  readonly reference: string;
  readonly title: string;
  readonly status: string;
  readonly argumentsDigest: string;
}

export const COMMANDS = `/inbox                                what waits for you
/answer <number> <option or text>     answers a question of the inbox
/acknowledge <number>                 closes a notification
/approve <A-…> [comment]              approves an action
/reject <A-…> [comment]               rejects it
/reconcile <A-…> <succeeded, failed or not_executed> <note>    says what became of one that nobody knows of`;

/**
 * What a person decides at the terminal, with their own token on the routes of owners: no agent reads it, so none can have
 * asked for it. Each method answers with the text to show.
 */
export class Desk {
  private readonly call: Call;
  private readonly path: string;
  /** As the last list numbered them. */
  private listed: readonly Item[] = [];

  constructor(call: Call, organizationPath: string) {
    this.call = call;
    this.path = organizationPath;
  }

  async run(line: string): Promise<string> {
    const [, verb = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
    const [subject = '', ...words] = rest.split(/\s+/);
    const text = rest.slice(subject.length).trim();
    switch (verb) {
      case 'inbox':
        return this.list();
      case 'answer':
        return this.close(subject, 'respond', { response: text });
      case 'acknowledge':
        return this.close(subject, 'acknowledge', {});
      case 'approve':
      case 'reject':
        return this.decide(subject, verb, text);
      case 'reconcile':
        return this.reconcile(subject, words[0] ?? '', words.slice(1).join(' '));
      default:
        return COMMANDS;
    }
  }

  private async list(): Promise<string> {
    this.listed = await this.call<Item[]>('GET', `${this.path}/human-inbox?status=open&order=asc`);
    if (this.listed.length === 0) return 'Nothing waits for you.';
    return this.listed.map((item, index) => shown(item, index + 1)).join('\n');
  }

  private async close(number: string, verb: 'respond' | 'acknowledge', body: object): Promise<string> {
    const item = this.listed[Number(number) - 1];
    if (!item) return `There is no ${number || 'such number'} in the last /inbox.`;
    await this.call('POST', `${this.path}/human-inbox/${item.id}/${verb}`, body);
    return `${verb === 'respond' ? 'Answered' : 'Acknowledged'}: ${item.title}`;
  }

  /** Names the digest that was found, so that a decision is about exactly this action. */
  private async decide(reference: string, verb: 'approve' | 'reject', comment: string): Promise<string> {
    const action = await this.find(reference);
    if (!action) return `There is no action ${reference} among the newest.`;
    const body = { expectedDigest: action.argumentsDigest, ...(comment === '' ? {} : { comment }) };
    const { status } = await this.call<Action>('POST', `${this.path}/actions/${action.id}/${verb}`, body);
    return `${action.reference} “${action.title}” is ${status}.`;
  }

  private async reconcile(reference: string, outcome: string, note: string): Promise<string> {
    const action = await this.find(reference);
    if (!action) return `There is no action ${reference} among the newest.`;
    const { status } = await this.call<Action>('POST', `${this.path}/actions/${action.id}/reconcile`, {
      outcome,
      note,
    });
    return `${action.reference} “${action.title}” is ${status}.`;
  }

  private async find(reference: string): Promise<Action | undefined> {
    const actions = await this.call<Action[]>('GET', `${this.path}/actions?limit=100`);
    return actions.find((each) => each.reference === reference.toUpperCase());
  }
}

function shown({ kind, title, body, presentation }: Item, number: number): string {
  const { recommendation, options = [], recommendedOptionId } = presentation;
  const lines = [
    body,
    ...(recommendation ? [`Recommended: ${recommendation}`] : []),
    ...options.map(({ id, label }) => `${id}: ${label}${id === recommendedOptionId ? ' (recommended)' : ''}`),
  ];
  // Indented line by line, so that none passes for another item.
  const inner = lines.flatMap((line) => line.split('\n'));
  return [`${number}. ${kind}: ${title}`, ...inner.map((line) => `   ${line}`)].join('\n');
}
