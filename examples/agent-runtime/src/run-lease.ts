import { createHash, randomUUID } from 'node:crypto';
import {
  type Api,
  type Claim,
  type LogEntry,
  type Result,
  type StagedOutcome,
  type Started,
  type WholeRecord,
  type WorkManifest,
} from './api.ts';
import type { Delivery, Finding, Proposal, Question } from './agents/agent.ts';
import { Connectors } from './connectors.ts';
import type { AgentFailure } from './failure.ts';
import type { Refusal } from './knowledge.ts';
import { type Beat, BEAT_WAIT_SECONDS, LAST_WORD_MS, Lease, noTokens, type Worker } from './lease.ts';

interface Stored {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly uri: string;
}

const RUN = 'service://organizations/';

/** The run and the digest that the address of an artifact names; undefined if it leads elsewhere. */
export function storedAt(uri: string): { runId: string; sha256: string } | undefined {
  const [, runId, sha256] = /\/runs\/([^/]+)\/artifacts\/([^/]+)$/.exec(uri) ?? [];
  return runId && sha256 ? { runId, sha256 } : undefined;
}

/** One attempt at a task under its lease: all calls that report to the backend. */
export class RunLease extends Lease {
  readonly runId = randomUUID();
  readonly connectors: Connectors;
  private sequence = 0;
  private logged: Promise<unknown> = Promise.resolve();
  private logState: 'complete' | 'partial' = 'complete';
  private readonly say: (line: string) => void;

  private constructor(api: Api, claim: Claim, say: (line: string) => void) {
    super(api, claim);
    this.say = say;
    this.connectors = new Connectors(
      api,
      () => this.agent,
      () => this.manifest(),
    );
  }

  static async start(
    api: Api,
    claim: Claim,
    worker: Worker,
    stopping: AbortSignal,
    say: (line: string) => void,
  ): Promise<RunLease> {
    const lease = new RunLease(api, claim, say);
    const { executionToken }: Started = await api.call('post', '/internal/run-requests/{runRequestId}/start', {
      path: { runRequestId: claim.runRequestId },
      body: { ...lease.fence, runId: lease.runId, ...worker },
      signal: stopping,
    });
    lease.keep(executionToken);
    return lease;
  }

  async running(harness: string, model: string, workspaceUri: string): Promise<void> {
    const body = { ...this.fence, harness, model, workspaceUri };
    this.heed(await this.api.call('post', '/internal/runs/{runId}/running', { ...this.run, body }));
  }

  async manifest(): Promise<WorkManifest> {
    const manifest = this.api.call('get', '/internal/agent/organizations/{organizationId}/execution', this.agent);
    return (await manifest) as WorkManifest;
  }

  async stage(outcome: StagedOutcome): Promise<void> {
    await this.api.call('put', '/internal/agent/organizations/{organizationId}/execution/outcome', {
      ...this.agent,
      body: outcome,
    });
  }

  /** Opens an item of the inbox; the same key finds the one that is open in this task. */
  async ask({ key, ...question }: Question): Promise<string> {
    const { id } = await this.api.call('post', '/internal/agent/organizations/{organizationId}/inbox', {
      ...this.agent,
      body: { kind: 'question', ...question, dedupeKey: key },
    });
    return id;
  }

  /** Proposes a call of a webhook; the same key finds it again in whatever status, and notes that this run knows of it. */
  async propose({ key, ...proposal }: Proposal): Promise<string> {
    const { id } = await this.api.call('post', '/internal/agent/organizations/{organizationId}/actions', {
      ...this.agent,
      body: { kind: 'webhook_call', connectorKey: 'webhooks', ...proposal, dedupeKey: key },
    });
    return id;
  }

  /** Publishes what a file shows, with the file as evidence; the path names it, until the run's result does. */
  async publish(finding: Finding, { name, text }: Delivery): Promise<WholeRecord | Refusal> {
    const { sha256 } = await this.store(text);
    return this.knowledge.publish({ ...finding, evidence: [{ runId: this.runId, path: name, sha256 }] });
  }

  /** Stores bytes under this run. Storing the same bytes again gives the same artifact. */
  async store(text: string): Promise<Stored> {
    const bytes = Buffer.from(text);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { organizationId } = this.fence;
    await this.api.call('put', '/internal/agent/organizations/{organizationId}/artifacts/{sha256}', {
      ...this.agent,
      path: { organizationId, sha256 },
      bytes,
    });
    const uri = `${RUN}${organizationId}/runs/${this.runId}/artifacts/${sha256}`;
    return { sha256, sizeBytes: bytes.length, uri };
  }

  /** Parses the address that a checkpoint stored. */
  readUri(uri: string): Promise<string> {
    const { runId, sha256 } = storedAt(uri)!;
    return this.read(runId, sha256);
  }

  async checkpoint(key: string): Promise<{ version: number; artifactUris: string[] }> {
    const { organizationId } = this.fence;
    const row = await this.api.call(
      'get',
      '/internal/agent/organizations/{organizationId}/durability/{namespace}/{key}',
      {
        ...this.agent,
        path: { organizationId, namespace: 'task', key },
      },
    );
    const { artifactUris } = row.payload as { artifactUris: string[] };
    return { version: row.version, artifactUris };
  }

  async keepCheckpoint(key: string, payload: Record<string, unknown>, expectedVersion: number): Promise<void> {
    const { organizationId } = this.fence;
    await this.api.call('put', '/internal/agent/organizations/{organizationId}/durability/{namespace}/{key}', {
      ...this.agent,
      path: { organizationId, namespace: 'task', key },
      body: { kind: 'task_checkpoint', payload, expectedVersion },
    });
  }

  /** Writes a line to the terminal and to the run's log. A log that cannot be stored does not stop the work. */
  log(category: LogEntry['category'], status: LogEntry['status'], label: string, detail: string | null = null): void {
    const line = detail?.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 2_000) || null;
    this.say(line ? `${label}: ${line}` : label);
    this.sequence += 1;
    const entry = {
      sequence: this.sequence,
      category,
      status,
      label,
      detail: line,
      occurredAt: new Date().toISOString(),
    };
    const body = { ...this.fence, entries: [entry] };
    this.logged = this.logged
      .then(() => this.api.call('post', '/internal/runs/{runId}/logs', { ...this.run, body }))
      .then((stored) => this.heed(stored))
      .catch(() => (this.logState = 'partial'));
  }

  async complete(result: Result, steps: number, harness: string, workspaceUri: string): Promise<string> {
    await this.logged;
    const { status } = await this.api.call('post', '/internal/runs/{runId}/complete', {
      ...this.run,
      body: {
        ...this.fence,
        output: { kind: 'task_result', result },
        usage: noTokens(steps),
        receipts: [],
        harness,
        workspaceUri,
        logState: this.logState,
      },
    });
    return status;
  }

  async fail(failure: AgentFailure, steps: number, harness: string): Promise<string> {
    await this.logged;
    const { code, message, errorClass, retryable, retryAfterSeconds } = failure;
    const error = {
      code,
      message: message.slice(0, 2_000),
      retryable,
      class: errorClass,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
    // Does not use the signal `over`, because a run reports its end after it.
    const { status } = await this.api.call('post', '/internal/runs/{runId}/fail', {
      path: { runId: this.runId },
      signal: AbortSignal.timeout(LAST_WORD_MS),
      body: {
        ...this.fence,
        error,
        usage: noTokens(steps),
        harness,
        logState: this.logState,
      },
    });
    return status;
  }

  protected override beat(): Promise<Beat> {
    const body = { ...this.fence, waitSeconds: BEAT_WAIT_SECONDS };
    return this.api.call('post', '/internal/runs/{runId}/heartbeat', { ...this.run, body });
  }

  private get run() {
    return { path: { runId: this.runId }, signal: this.over };
  }
}
