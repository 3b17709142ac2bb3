import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type FaultyClient, GaveUp, type Heard } from './client.ts';
import type { Intent } from './history.ts';
import type { Random } from './random.ts';

const PROFILES = ['operator', 'growth', 'engineering', 'support'];
/** Most waiting tasks: enough to keep all runtimes busy. */
const MOST_WAITING = 20;
const REMEMBERED = 30;

interface ListedTask {
  readonly id: string;
  readonly state: { readonly blockers: readonly { readonly kind: string; readonly dependsOnTaskId?: string }[] };
}

/** The owner of an organization: creates tasks, and sometimes changes its mind about them. */
export class Owner {
  /** Tasks whose creation was acknowledged. */
  created = 0;
  private readonly client: FaultyClient;
  private readonly token: string;
  private readonly organizationId: string;
  private readonly random: Random;
  private readonly recent: string[] = [];

  constructor(client: FaultyClient, token: string, organizationId: string, random: Random) {
    this.client = client;
    this.token = token;
    this.organizationId = organizationId;
    this.random = random;
  }

  /** Creates and disturbs work until the signal aborts. */
  async work(until: AbortSignal): Promise<void> {
    const every = async (meanMs: number, action: () => Promise<void>) => {
      while (!until.aborted) {
        await action().catch(unlessGivenUp);
        await wait(this.random.gap(meanMs), undefined, { signal: until }).catch(() => {});
      }
    };
    await Promise.all([
      every(100, () => this.handIn(until)),
      every(400, () => this.cancelTask()),
      every(1_500, () => this.cancelRun()),
      every(2_000, () => this.retry()),
      every(1_500, () => this.unblock()),
      every(8_000, () => this.pauseDispatch()),
    ]);
    this.client.calm = true;
  }

  /**
   * Permits work again after late stops, and cancels or waives what waits for failed tasks, so that everything can end.
   */
  async unblock(): Promise<void> {
    await this.dispatch('running');
    for (const { id, state } of await this.list<ListedTask>('tasks', 'blocked')) {
      for (const { kind, dependsOnTaskId } of state.blockers) {
        if (kind !== 'dependency_failed') continue;
        if (this.random.chance(0.5)) await this.cancel(id);
        else await this.post(`task-dependencies/${id}/${dependsOnTaskId}/waive`, { op: 'other', name: 'waive' });
      }
    }
  }

  private async handIn(until: AbortSignal): Promise<void> {
    const path = `${this.path}/work-dispatch`;
    const intent = { op: 'other', name: 'dispatch' } as const;
    const heard = await this.client.call({ method: 'GET', path, token: this.token, intent });
    if (heard.status !== 200) return;
    for (let waiting: number = heard.body.data.queuedRunRequests; waiting < MOST_WAITING; waiting += 1)
      if (!until.aborted) await this.create();
  }

  private async create(): Promise<void> {
    const kind = this.random.weighted({ plain: 70, dependent: 15, plan: 7, verified: 8 });
    const title = randomUUID();
    const dependsOn = kind === 'dependent' ? this.prerequisites() : [];
    const heard = await this.post(
      'tasks',
      { op: 'task.create', title, dependsOn: dependsOn.map(({ taskRef }) => taskRef) },
      {
        title,
        spec: {
          objective: 'Do it',
          budget: { maxAgentRuns: this.random.pick([4, 20]) },
          verification: kind === 'verified' ? 'required' : 'none',
        },
        ownerAgentProfileKey: kind === 'plan' ? 'operator' : this.random.pick(PROFILES),
        phase: kind === 'plan' ? 'plan' : 'execute',
        priority: Math.round(this.random.between(-5, 5)),
        dependsOn,
        ...(this.random.chance(0.05) ? { scheduledAt: new Date(Date.now() + 1_500).toISOString() } : {}),
      },
    );
    if (heard.status !== 201) return;
    this.created += 1;
    this.recent.push(heard.body.data.id);
    if (this.recent.length > REMEMBERED) this.recent.shift();
  }

  private prerequisites() {
    const count = Math.ceil(this.random.between(0, 3));
    const ids = new Set(Array.from({ length: count }, () => this.random.pick(this.recent)).filter(Boolean));
    return [...ids].map((taskRef) => ({ taskRef, required: this.random.chance(0.8) }));
  }

  private async cancelTask(): Promise<void> {
    if (this.random.chance(0.25) && this.recent.length > 0) await this.cancel(this.random.pick(this.recent));
  }

  private async cancel(taskId: string): Promise<void> {
    await this.post(`tasks/${taskId}/cancel`, { op: 'task.cancel', taskId });
  }

  private async cancelRun(): Promise<void> {
    const runs = await this.list<{ id: string }>('runs', 'running');
    if (runs.length === 0) return;
    const requeue = this.random.chance(0.6);
    await this.post(`runs/${this.random.pick(runs).id}/cancel`, { op: 'other', name: 'run.cancel' }, { requeue });
  }

  private async retry(): Promise<void> {
    for (const { id } of await this.list<ListedTask>('tasks', 'failed'))
      if (this.random.chance(0.3))
        await this.post(`tasks/${id}/retry`, { op: 'task.retry', taskId: id }, { maxAgentRuns: 30 });
  }

  private async pauseDispatch(): Promise<void> {
    await this.dispatch('stopped');
    await wait(this.random.between(200, 1_500));
    await this.dispatch('running');
  }

  private async dispatch(status: 'stopped' | 'running'): Promise<void> {
    const path = `${this.path}/work-dispatch`;
    await this.client.call({
      method: 'PUT',
      path,
      token: this.token,
      body: { status },
      intent: { op: 'other', name: 'dispatch' },
    });
  }

  private async list<T>(of: 'tasks' | 'runs', status: string): Promise<readonly T[]> {
    const path = `${this.path}/${of}?status=${status}&limit=20`;
    const intent = { op: 'other', name: 'list' } as const;
    const heard = await this.client.call({ method: 'GET', path, token: this.token, intent });
    return heard.status === 200 ? (heard.body.data as T[]) : [];
  }

  private post(rest: string, intent: Intent, body?: object): Promise<Heard> {
    const path = `${this.path}/${rest}`;
    const content = body === undefined ? {} : { body };
    return this.client.call({
      method: 'POST',
      path,
      token: this.token,
      ...content,
      idempotencyKey: randomUUID(),
      intent,
    });
  }

  private get path(): string {
    return `/organizations/${this.organizationId}`;
  }
}

function unlessGivenUp(error: unknown): void {
  if (!(error instanceof GaveUp)) throw error;
}
