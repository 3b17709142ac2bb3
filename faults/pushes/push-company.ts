import { randomUUID } from 'node:crypto';
import { dataOf } from '../actions/action-company.ts';
import type { Client, Heard, Request } from '../client.ts';
import type { GitHost } from './git-host.ts';

const PUSHES_A_TASK = 10;
/** A push that came to nothing is not made again, but one whose answer was lost is met again. */
const SPARE = 2;
const OTHER = { op: 'other', name: 'pushes' } as const;
export const KEY = 'code-host';

/** An organization, its code host, and the owner who decides. */
export class PushCompany {
  /** Ids of actions whose approval was acknowledged. */
  readonly approved = new Set<string>();
  private readonly client: Client;
  private readonly token: string;
  private readonly id: string;

  private constructor(client: Client, token: string, id: string) {
    this.client = client;
    this.token = token;
    this.id = id;
  }

  static async open(client: Client, token: string, host: GitHost): Promise<PushCompany> {
    const body = { name: 'Pushes', website: 'https://faults.example', timezone: 'UTC', defaultCurrency: 'EUR' };
    const path = '/organizations';
    const heard = await client.call({ method: 'POST', path, token, body, idempotencyKey: randomUUID(), intent: OTHER });
    const company = new PushCompany(client, token, dataOf(heard).organization.id);
    const connector = `/integrations/${KEY}`;
    dataOf(
      await company.owner('PUT', `${connector}/profiles`, { profileGrants: ['engineering'], readOnlyProfileKeys: [] }),
    );
    // The proxy on the way refuses a connection now and then.
    const credential = { kind: 'token', token: host.token };
    while ((await company.owner('PUT', `${connector}/credential`, credential)).status !== 200);
    return company;
  }

  /** Hands in the tasks whose runs make so many pushes. */
  async handIn(pushes: number): Promise<void> {
    for (let left = pushes; left > 0; left -= PUSHES_A_TASK) {
      const count = Math.min(left, PUSHES_A_TASK);
      const title = `Push ${count}`;
      const spec = { objective: title, budget: { maxActions: count * SPARE } };
      dataOf(await this.owner('POST', '/tasks', { title, spec, ownerAgentProfileKey: 'engineering' }));
    }
  }

  async approve(id: string): Promise<void> {
    dataOf(await this.owner('POST', `/actions/${id}/approve`, {}));
    this.approved.add(id);
  }

  private owner(method: Request['method'], rest: string, body: object): Promise<Heard> {
    const path = `/organizations/${this.id}${rest}`;
    return this.client.call({ method, path, token: this.token, body, idempotencyKey: randomUUID(), intent: OTHER });
  }
}
