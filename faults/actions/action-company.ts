import { randomUUID } from 'node:crypto';
import type { Client, Heard, Request } from '../client.ts';
import type { Receiver } from './receiver.ts';

/** Actions of a task, and so in one wait. */
const ACTIONS_A_TASK = 20;
const OTHER = { op: 'other', name: 'actions' } as const;

/** An organization, its webhook at the receiver, and the owner who decides. */
export class ActionCompany {
  /** Ids of actions whose approval was acknowledged. */
  readonly approved = new Set<string>();
  private readonly client: Client;
  private readonly token: string;
  private readonly id: string;
  readonly webhookId: string;

  private constructor(client: Client, token: string, id: string, webhookId: string) {
    this.client = client;
    this.token = token;
    this.id = id;
    this.webhookId = webhookId;
  }

  static async open(client: Client, token: string, receiver: Receiver): Promise<ActionCompany> {
    const send = async (method: Request['method'], path: string, body: object) =>
      dataOf(await client.call({ method, path, token, body, idempotencyKey: randomUUID(), intent: OTHER }));
    const { organization } = await send('POST', '/organizations', {
      name: 'Actions',
      website: 'https://faults.example',
      timezone: 'UTC',
      defaultCurrency: 'EUR',
    });
    const webhook = await send('POST', `/organizations/${organization.id}/webhooks`, { url: receiver.url, events: [] });
    receiver.secret = webhook.secret;
    return new ActionCompany(client, token, organization.id, webhook.id);
  }

  /** Hands in the tasks whose runs propose so many actions. */
  async handIn(actions: number): Promise<void> {
    for (let left = actions; left > 0; left -= ACTIONS_A_TASK) {
      const count = Math.min(left, ACTIONS_A_TASK);
      const title = `Propose ${count}`;
      const body = { title, spec: { objective: title, budget: { maxActions: count } }, ownerAgentProfileKey: 'growth' };
      dataOf(await this.owner('POST', 'tasks', body));
    }
  }

  async approve(id: string): Promise<void> {
    dataOf(await this.owner('POST', `actions/${id}/approve`, {}));
    this.approved.add(id);
  }

  /** Says what became of an ambiguous action, as somebody does who has looked at the receiver. */
  async reconcile(id: string, outcome: 'succeeded' | 'not_executed'): Promise<void> {
    dataOf(await this.owner('POST', `actions/${id}/reconcile`, { outcome, note: 'Looked at what the receiver has.' }));
  }

  private owner(method: Request['method'], rest: string, body: object): Promise<Heard> {
    const path = `/organizations/${this.id}/${rest}`;
    return this.client.call({ method, path, token: this.token, body, idempotencyKey: randomUUID(), intent: OTHER });
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
export function dataOf({ status, body }: Heard): any {
  if (status > 299) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body.data;
}
