import { randomUUID } from 'node:crypto';
import { company } from '../client.ts';
import { saying } from '../factories/chats.ts';
import { BOOTSTRAP_TOKEN, SERVICE_TOKEN } from '../test-app.ts';
import { until } from '../until.ts';
import type { ServiceProcess } from './service-process.ts';

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'complete']);

/** A new organization at a service process, as its owner sees it. */
export class OrganizationAt {
  private constructor(
    private readonly service: ServiceProcess,
    private readonly limitMs: number,
    readonly id: string,
  ) {}

  static async create(service: ServiceProcess, limitMs: number): Promise<OrganizationAt> {
    const headers = { 'idempotency-key': randomUUID() };
    const { body } = await service.call('POST', '/organizations', BOOTSTRAP_TOKEN, company(), headers);
    return new OrganizationAt(service, limitMs, body.data.organization.id as string);
  }

  /** The `data` of the answer to an owner's call below the organization; throws what is refused. */
  async call(method: string, path: string, body?: object) {
    const answer = await this.service.call(method, `/organizations/${this.id}${path}`, BOOTSTRAP_TOKEN, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }

  /** The same of a worker's call on this organization. */
  async work(path: string, body: object) {
    const answer = await this.service.call('POST', `/internal${path}`, SERVICE_TOKEN, body);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }

  async createTask(task: object): Promise<string> {
    return (await this.call('POST', '/tasks', { title: 'A task', ownerAgentProfileKey: 'growth', ...task })).id;
  }

  /** Posts in the first chat; answers the id of the answer that is to come. */
  async post(text: string): Promise<string> {
    const [chat] = await this.call('GET', '/chats');
    return (await this.call('POST', `/chats/${chat.id}/messages`, saying(text))).assistantMessage.id;
  }

  async taskEnded(id: string) {
    return this.ended(`/tasks/${id}`);
  }

  async answerEnded(id: string): Promise<{ readonly status: string; readonly text: string }> {
    const { status, parts } = await this.ended(`/messages/${id}`);
    return { status, text: parts.map((part: { text: string }) => part.text).join('') };
  }

  private async ended(path: string) {
    let found = await this.call('GET', path);
    const hasEnded = async () => ENDED.has((found = await this.call('GET', path)).status);
    await until(`${path} has ended`, hasEnded, this.limitMs).catch((error: Error) => {
      throw new Error(`${error.message} It is ${JSON.stringify(found)}`);
    });
    return found;
  }
}
