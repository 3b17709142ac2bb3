import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Attempt, type Claim } from '../attempt.ts';
import { Random } from '../random.ts';
import type { Company } from './company.ts';
import type { Deployment } from './deployment.ts';

/** Open tasks for each worker: enough to keep it busy. */
const OPEN_TASKS = 1.5;
const PROFILES = ['operator', 'growth', 'engineering', 'support'];

/** Tasks that an owner hands in and workers do. */
export class Workload {
  /** Tasks that were handed in. */
  created = 0;
  private ended = 0;
  private readonly deployment: Deployment;
  private readonly workers: number;

  constructor(deployment: Deployment, workers: number) {
    this.deployment = deployment;
    this.workers = workers;
  }

  /** Hands in tasks, no faster than workers end them, until enough has been done. */
  async handIn(companies: readonly Company[], isEnough: () => boolean): Promise<void> {
    const client = this.deployment.client('owner');
    while (!isEnough()) {
      if (this.created - this.ended >= OPEN_TASKS * this.workers) {
        await wait(20);
        continue;
      }
      const { id } = companies[this.created % companies.length]!;
      const title = randomUUID();
      await client
        .call({
          method: 'POST',
          path: `/organizations/${id}/tasks`,
          token: this.deployment.tokenOf('owner'),
          body: {
            title,
            spec: { objective: 'Do it' },
            ownerAgentProfileKey: PROFILES[this.created % PROFILES.length]!,
          },
          idempotencyKey: randomUUID(),
          intent: { op: 'task.create', title, dependsOn: [] },
        })
        .catch(ignore);
      this.created += 1;
    }
  }

  /** Takes and does work with all workers until the signal aborts. */
  async work(until: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: this.workers }, (_, n) => this.workAs(`worker-${n}`, until)));
  }

  private async workAs(workerId: string, until: AbortSignal): Promise<void> {
    const client = this.deployment.client(workerId);
    const token = this.deployment.tokenOf('runtime');
    const runtime = { client, token, workerId, bootId: randomUUID(), random: new Random(workerId) };
    const wanted = { workerId, bootId: runtime.bootId, executionClasses: ['standard'], limit: 1, waitSeconds: 1 };
    while (!until.aborted) {
      const body = { ...wanted, requestKey: randomUUID() };
      const claims: Claim[] | undefined = await this.deployment
        .post(client, 'runtime', '/internal/run-requests/claim', body)
        .catch(ignore);
      for (const claim of claims ?? []) {
        await new Attempt(runtime, claim).take().catch(ignore);
        this.ended += 1;
      }
    }
  }
}

/** Calls without an answer are counted where they are made. */
function ignore(): undefined {}
