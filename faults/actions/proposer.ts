import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Claim } from '../attempt.ts';
import { type Client, GaveUp, type Heard, type Request } from '../client.ts';
import { type ActionCompany, dataOf } from './action-company.ts';

const OTHER = { op: 'other', name: 'propose' } as const;
const WORKPLACE = { harness: 'faults', model: 'none', workspaceUri: 'workspace://faults' };

interface Seat {
  readonly client: Client;
  readonly serviceToken: string;
  readonly company: ActionCompany;
}

/**
 * A runtime whose runs propose the actions of their task and wait for them; the run that continues the task once all have
 * ended completes it. The owner approves what is proposed meanwhile.
 */
export class Proposer {
  private readonly seat: Seat;
  private readonly worker = { workerId: `proposer-${randomUUID()}`, bootId: randomUUID() };

  constructor(seat: Seat) {
    this.seat = seat;
  }

  async work(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      const body = { ...this.worker, requestKey: randomUUID(), executionClasses: ['standard'], waitSeconds: 1 };
      const claims = await this.asRuntime('/internal/run-requests/claim', body).then(
        (heard) => (heard.status === 200 ? (heard.body.data as Claim[]) : []),
        nothing,
      );
      for (const claim of claims ?? []) await this.run(claim).catch(nothing);
    }
  }

  private async run({ organizationId, runRequestId, leaseToken }: Claim): Promise<void> {
    const fence = { organizationId, leaseToken };
    const runId = randomUUID();
    const start = { ...fence, ...this.worker, runId };
    const { executionToken } = dataOf(await this.asRuntime(`/internal/run-requests/${runRequestId}/start`, start));
    const onRun = async (call: string, body: object) =>
      dataOf(await this.asRuntime(`/internal/runs/${runId}/${call}`, { ...fence, ...body }));
    const asAgent = async (method: Request['method'], rest: string, body?: object) => {
      const path = `/internal/agent/organizations/${organizationId}/${rest}`;
      return dataOf(await this.send({ method, path, token: executionToken, ...(body ? { body } : {}), intent: OTHER }));
    };
    await onRun('running', WORKPLACE);
    const { task, decisions } = await asAgent('GET', 'execution');
    const complete = (result: object) => onRun('complete', { output: { kind: 'task_result', result } });
    if (decisions.length > 0) return void (await complete({ kind: 'completed', summary: 'All have ended' }));

    const actionIds: string[] = [];
    for (let n = 1; n <= task.spec.budget.maxActions; n += 1) {
      // A run that died before its wait is followed by one that gets the same actions by the same keys.
      const { id } = await asAgent('POST', 'actions', {
        kind: 'webhook_call',
        connectorKey: 'webhooks',
        toolName: this.seat.company.webhookId,
        arguments: { n },
        title: `Call ${n}`,
        summary: 'Calls the receiver once.',
        dedupeKey: `call-${n}`,
      });
      actionIds.push(id);
    }
    await complete({ kind: 'action_wait', summary: 'Waits for the calls', actionIds });
    await Promise.all(actionIds.map((id) => this.approve(id)));
  }

  /** As an owner does who finds it in the inbox, and tries again until it is acknowledged. */
  private async approve(id: string): Promise<void> {
    for (;;) {
      try {
        return await this.seat.company.approve(id);
      } catch (error) {
        if (!(error instanceof GaveUp)) throw error;
        await wait(200);
      }
    }
  }

  private asRuntime(path: string, body: object): Promise<Heard> {
    const waitMs = path.endsWith('/claim') ? 1_000 : 0;
    return this.send({ method: 'POST', path, token: this.seat.serviceToken, body, intent: OTHER, waitMs });
  }

  private send(request: Request): Promise<Heard> {
    return this.seat.client.call(request);
  }
}

/** What a call that came to nothing leaves: its run lapses, and the next one goes on. */
function nothing(): undefined {}
