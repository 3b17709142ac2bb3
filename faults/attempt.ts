import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { canonicalDigest } from '../src/kernel/crypto/index.ts';
import type { Client, Heard, Request } from './client.ts';
import type { Intent } from './history.ts';
import type { Random } from './random.ts';

export interface Claim {
  readonly organizationId: string;
  readonly runRequestId: string;
  readonly taskId: string;
  readonly mode: 'plan' | 'execute' | 'verify';
  readonly leaseToken: string;
}

export interface Runtime {
  readonly client: Client;
  readonly token: string;
  readonly workerId: string;
  readonly bootId: string;
  readonly random: Random;
}

/** The run has ended for this worker, or never was its own. */
class Over extends Error {}

type Final = 'complete' | 'fail';

/** Refusals of a start that leave the claim as it is. */
const LATER = new Set(['capacity_exceeded', 'work_dispatch_stopped', 'profile_disabled', 'task_not_ready']);
/** Longer than the lease of a run. */
const OVERSLEPT_MS = [3_200, 5_500] as const;

/** One claim from start to end, with all that a runtime may do wrong meanwhile. */
export class Attempt {
  private readonly runtime: Runtime;
  private readonly claim: Claim;
  private readonly runId = randomUUID();
  private readonly random: Random;
  private executionToken = '';
  private heartbeatMs = 1_000;
  private beatAt = 0;
  private sequence = 0;
  private checkpoint = 0;

  constructor(runtime: Runtime, claim: Claim) {
    this.runtime = runtime;
    this.claim = claim;
    this.random = runtime.random;
  }

  async take(): Promise<void> {
    if (this.wrong(0.02)) return this.release();
    // Forgets the claim, which lapses.
    if (this.wrong(0.01)) return;
    try {
      await this.start();
      await this.work();
      // Makes no further call, as if it had died.
      if (this.wrong(0.03)) return;
      await this.end();
    } catch (error) {
      if (!(error instanceof Over)) throw error;
      // Ignores a refusal.
      if (this.wrong(0.2)) await this.final('complete', this.completion('too late'));
    }
  }

  private async start(): Promise<void> {
    const first = this.sendStart(this.runId);
    // Starts the same claim twice; at most one of the two runs may exist.
    if (this.wrong(0.03)) await this.sendStart(randomUUID());
    const heard = await first;
    if (heard.status !== 200) {
      if (LATER.has(heard.issue ?? '')) {
        await wait(this.random.between(50, 400));
        await this.release();
      }
      throw new Over();
    }
    this.executionToken = heard.body.data.executionToken;
    this.heartbeatMs = heard.body.data.heartbeatIntervalMs;
    this.beatAt = performance.now();
    if (this.wrong(0.08)) return;
    const workplace = { harness: 'faults', model: 'none', workspaceUri: 'workspace://faults' };
    await this.onRun('running', workplace, { op: 'run.running', runId: this.runId });
  }

  private async work(): Promise<void> {
    const steps = Math.ceil(this.random.between(0, 4));
    const long = this.random.chance(0.05);
    for (let step = 0; step < steps; step += 1) {
      const untilMs = performance.now() + (long ? this.random.between(700, 2_000) : this.random.between(10, 120));
      while (performance.now() < untilMs) {
        await wait(Math.max(1, Math.min(untilMs - performance.now(), this.heartbeatMs / 4)));
        await this.beat();
      }
      if (this.wrong(0.02)) await wait(this.random.between(...OVERSLEPT_MS));
      await this.log();
      if (this.random.chance(0.2)) await this.keep();
    }
    if (this.random.chance(0.15)) await this.store();
    if (this.claim.mode === 'plan' && !this.wrong(0.08)) await this.stagePlan();
    if (this.claim.mode === 'verify') await this.stageVerdict();
  }

  private async end(): Promise<void> {
    const how = this.random.weighted({ complete: 86, again: 6, infrastructure: 4, never: 4 });
    const body = how === 'complete' || this.runtime.client.calm ? this.completion('done') : failure(how);
    const heard = await this.final('error' in body ? 'fail' : 'complete', body);
    if (this.wrong(0.08)) await this.final('error' in body ? 'fail' : 'complete', body);
    if (this.wrong(0.06)) await this.final('complete', this.completion('another body'));
    if (this.wrong(0.03)) await this.final('fail', failure('again'));
    if (heard.status !== 200) return;
    if (this.wrong(0.06)) await this.log().catch(ignoreOver);
    if (this.wrong(0.03)) await this.store();
    if (this.wrong(0.03)) await this.keep();
    if (this.wrong(0.03)) await this.beat(true).catch(ignoreOver);
    if (this.wrong(0.03)) await this.sendStart(this.runId);
  }

  private async beat(now = false): Promise<void> {
    if (!now && performance.now() - this.beatAt < this.heartbeatMs) return;
    const heard = await this.onRun('heartbeat', {}, { op: 'run.heartbeat', runId: this.runId });
    this.beatAt = performance.now();
    const { cancelRequested, executionToken } = heard.body.data;
    this.executionToken = executionToken ?? this.executionToken;
    if (!cancelRequested) return;
    await this.final('fail', failure('again'));
    throw new Over();
  }

  private async log(): Promise<void> {
    const occurredAt = new Date().toISOString();
    const entries = Array.from({ length: Math.ceil(this.random.between(0, 3)) }, () => {
      this.sequence += 1;
      const label = `step ${this.sequence}`;
      return { sequence: this.sequence, category: 'execution', status: 'info', label, occurredAt };
    });
    const sequences = entries.map(({ sequence }) => sequence);
    await this.onRun('logs', { entries }, { op: 'run.logs', runId: this.runId, sequences });
  }

  /** Writes the next version of a checkpoint; after a refusal the stored version is unknown. */
  private async keep(): Promise<void> {
    const { runId } = this;
    const version = this.checkpoint + 1;
    const body = { kind: 'fault_run', payload: { runId, version }, expectedVersion: this.checkpoint };
    const intent = { op: 'run.checkpoint', runId, version } as const;
    const heard = await this.asAgent('PUT', `durability/task/${this.claim.taskId}.${runId}`, { body }, intent);
    this.checkpoint = heard.status === 200 ? version : 999;
  }

  private async store(): Promise<void> {
    const bytes = Buffer.from(`artifact of ${this.runId}, after entry ${this.sequence}`);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await this.asAgent('PUT', `artifacts/${sha256}`, { bytes }, { op: 'run.artifact', runId: this.runId, sha256 });
  }

  private async stagePlan(): Promise<void> {
    const manifest = await this.asAgent('GET', 'execution', {}, { op: 'other', name: 'manifest' });
    if (manifest.status !== 200) throw new Over();
    const child = (ref: string, dependsOn: object[]) => {
      const ownerAgentProfileKey = this.random.pick(['growth', 'engineering', 'support']);
      return {
        kind: 'create_task',
        ref,
        title: `${this.runId} ${ref}`,
        spec: { objective: 'Do a part' },
        ownerAgentProfileKey,
        dependsOn,
      };
    };
    const body = {
      kind: 'planned',
      summary: 'Two parts',
      expectedGraphRevision: manifest.body.data.plan.graphRevision as number,
      operations: [child('first', []), child('second', [{ taskRef: 'first', required: this.random.chance(0.7) }])],
    };
    await this.stage(body);
  }

  private stageVerdict(): Promise<void> {
    const verdict = this.random.chance(0.85) ? 'accepted' : 'rejected';
    return this.stage({ kind: 'verification', summary: 'Looked at it', verdict, findings: [] });
  }

  private async stage(body: object): Promise<void> {
    const heard = await this.asAgent('PUT', 'execution/outcome', { body }, { op: 'run.outcome', runId: this.runId });
    if (heard.status !== 200) throw new Over();
  }

  private completion(remark: string) {
    const kind = ({ plan: 'planned', execute: 'completed', verify: 'verification' } as const)[this.claim.mode];
    return { output: { kind: 'task_result', result: { kind, summary: `${this.runId} ${remark}` } } };
  }

  private final(call: Final, body: object): Promise<Heard> {
    const digest = canonicalDigest(body);
    return this.onRun(call, body, { op: `run.${call}`, runId: this.runId, digest }, { last: true });
  }

  private sendStart(runId: string): Promise<Heard> {
    const { workerId, bootId } = this.runtime;
    return this.send({
      method: 'POST',
      path: `/internal/run-requests/${this.claim.runRequestId}/start`,
      body: { ...this.fence, runId, workerId, bootId },
      intent: { op: 'run.start', runId },
    });
  }

  private async release(): Promise<void> {
    const path = `/internal/run-requests/${this.claim.runRequestId}/release`;
    await this.send({ method: 'POST', path, body: this.fence, intent: { op: 'other', name: 'release' } });
  }

  /** Makes a call under the lease; a refusal ends the attempt, unless the call was the final one. */
  private async onRun(call: string, body: object, intent: Intent, { last = false } = {}): Promise<Heard> {
    const path = `/internal/runs/${this.runId}/${call}`;
    const heard = await this.send({ method: 'POST', path, body: { ...this.fence, ...body }, intent });
    if (heard.status !== 200 && !last) throw new Over();
    return heard;
  }

  private asAgent(method: 'GET' | 'PUT', rest: string, content: Pick<Request, 'body' | 'bytes'>, intent: Intent) {
    const path = `/internal/agent/organizations/${this.claim.organizationId}/${rest}`;
    return this.send({ method, path, ...content, intent, token: this.executionToken });
  }

  private send(request: Omit<Request, 'token'> & { readonly token?: string }): Promise<Heard> {
    return this.runtime.client.call({ token: this.runtime.token, ...request });
  }

  private get fence() {
    return { organizationId: this.claim.organizationId, leaseToken: this.claim.leaseToken };
  }

  /** Whether to do something wrong now; never after the faults have ended. */
  private wrong(probability: number): boolean {
    return !this.runtime.client.calm && this.random.chance(probability);
  }
}

/** Sets every property, so that the digest equals that of what the service validates. */
function failure(how: 'again' | 'infrastructure' | 'never') {
  const retryable = how !== 'never';
  const errorClass = how === 'infrastructure' ? 'infrastructure' : 'agent';
  const message = 'A fault of the fault run';
  return {
    error: { code: how, message, retryable, class: errorClass, ...(retryable ? { retryAfterSeconds: 0 } : {}) },
  };
}

function ignoreOver(error: unknown): void {
  if (!(error instanceof Over)) throw error;
}
