import { setTimeout as wait } from 'node:timers/promises';
import { type Api, leaseIsOver, Refused, type Task } from './api.ts';
import { AgentFailure } from './failure.ts';
import { Knowledge } from './knowledge.ts';

export interface Worker {
  readonly workerId: string;
  /** New at each start of the process, so that the backend can tell this process from the previous one. */
  readonly bootId: string;
}

/** The fields of every call under a lease. */
interface Fence {
  readonly organizationId: string;
  readonly leaseToken: string;
}

export interface Beat {
  readonly cancelRequested: boolean;
  readonly executionToken: string | null;
}

/** How long a heartbeat waits for something to say; the backend answers earlier where the next one is due before. */
export const BEAT_WAIT_SECONDS = 20;
/** The shortest time from one heartbeat to the next, whatever makes the backend answer early. */
const BEAT_GAP_MS = 1_000;

/** How long reporting the end of an attempt to the backend may take; no other work waits for it. */
export const LAST_WORD_MS = 5_000;

/** The reason to stop an attempt that was cancelled. */
const CANCELLED = new AgentFailure('cancel_requested', 'The owner asked for the end');

/**
 * One attempt under its lease, a run or a chat turn. Heartbeats, of which one always waits, renew lease and execution
 * token; `over` aborts when the work must stop (lease lost, cancel requested, runtime stopping).
 */
export abstract class Lease {
  readonly over: AbortSignal;
  readonly knowledge: Knowledge;
  protected readonly api: Api;
  protected readonly fence: Fence;
  private readonly ending = new AbortController();
  private executionToken = '';

  protected constructor(api: Api, { organizationId, leaseToken }: Fence) {
    this.api = api;
    this.fence = { organizationId, leaseToken };
    this.over = this.ending.signal;
    this.knowledge = new Knowledge(api, () => this.agent);
  }

  get isCancelled(): boolean {
    return this.over.reason === CANCELLED;
  }

  /** Stops every call and agent of this attempt, for this reason. */
  end(reason: Error): void {
    this.ending.abort(reason);
  }

  /** Stops because the runtime stops; another worker, or this one after a restart, may continue at once. */
  endWith(stopping: AbortSignal): void {
    const stop = () => this.end(new AgentFailure('runtime_stopping', 'The runtime stops', 'infrastructure', true, 0));
    stopping.addEventListener('abort', stop, { signal: this.over });
    if (stopping.aborted) stop();
  }

  /** Stops the heartbeats. */
  close(): void {
    this.ending.abort();
  }

  /** Reads an artifact: as a turn of any run, as a run of those of its task, of children and of prerequisites. */
  read(runId: string, sha256: string): Promise<string> {
    const { organizationId } = this.fence;
    return this.api.text('/organizations/{organizationId}/runs/{id}/artifacts/{sha256}', {
      ...this.agent,
      path: { organizationId, id: runId, sha256 },
    });
  }

  /** A task by identifier or id; undefined if there is none that the execution may see. */
  async task(taskRef: string): Promise<Task | undefined> {
    const { path, ...agent } = this.agent;
    try {
      return await this.api.call('get', '/internal/agent/organizations/{organizationId}/tasks/{taskRef}', {
        ...agent,
        path: { ...path, taskRef },
      });
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Sends a heartbeat, which may wait for `BEAT_WAIT_SECONDS`. */
  protected abstract beat(): Promise<Beat>;

  protected keep(executionToken: string): void {
    this.executionToken = executionToken;
    void this.stayAlive();
  }

  /** Handles what any answer of the backend may contain, not only that of a heartbeat. */
  protected heed({ cancelRequested }: Pick<Beat, 'cancelRequested'>): void {
    if (cancelRequested) this.end(CANCELLED);
  }

  /** Headers of calls with the capability of the execution. */
  protected get agent() {
    const { organizationId } = this.fence;
    return { path: { organizationId }, token: this.executionToken, signal: this.over };
  }

  private async stayAlive(): Promise<void> {
    while (!this.over.aborted) {
      const gap = wait(BEAT_GAP_MS, undefined, { signal: this.over }).catch(() => undefined);
      await this.renew();
      await gap;
    }
  }

  private async renew(): Promise<void> {
    try {
      const beat = await this.beat();
      this.executionToken = beat.executionToken ?? this.executionToken;
      this.heed(beat);
    } catch (error) {
      if (leaseIsOver(error)) this.end(error as Error);
    }
  }
}

/** No model is called here, so no tokens are used. */
export function noTokens(toolCalls: number) {
  return { inputTokens: 0, outputTokens: 0, toolCalls, costMinorUnits: 0 };
}
