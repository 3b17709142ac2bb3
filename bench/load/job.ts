/** A request that is already claimed, by a token that all seeded ones share. */
export interface LeasedItem {
  readonly organizationId: string;
  readonly runRequestId: string;
}

/** A chat turn that streams, by a token that all seeded ones share. */
export interface LeasedTurn {
  readonly organizationId: string;
  readonly chatId: string;
  readonly turnId: string;
}

export interface PreparedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

interface Timed {
  readonly workers: number;
  readonly seconds: number;
  /** Most operations per second; without it as many as the workers can do. */
  readonly perSecond?: number;
}

export type Job =
  | (Timed & {
      readonly kind: 'lifecycles';
      /** HTTP calls of the service or of bare Fastify, or statements straight through `pg`. */
      readonly via: 'service' | 'bare' | 'sql';
      readonly target: string;
      readonly token: string;
      readonly leaseToken: string;
      readonly items: readonly LeasedItem[];
      /** Heartbeats of each run. */
      readonly beats: number;
    })
  | (Timed & {
      readonly kind: 'requests';
      readonly target: string;
      readonly token: string;
      /** Sent in turn, again and again. */
      readonly requests: readonly PreparedRequest[];
    })
  | {
      /** What is opened stays open for the jobs behind it. */
      readonly kind: 'streams';
      readonly action: 'open' | 'stall' | 'come back' | 'close';
      readonly target: string;
      readonly token: string;
      readonly paths: readonly string[];
    }
  | (Timed & {
      readonly kind: 'appends';
      readonly target: string;
      readonly token: string;
      readonly leaseToken: string;
      readonly turns: readonly LeasedTurn[];
      readonly characters: number;
    })
  | {
      readonly kind: 'notifications';
      readonly database: string;
      readonly turn: LeasedTurn;
      readonly count: number;
      readonly perSecond: number;
      readonly characters: number;
      /** Whether every open stream is to get each of them. */
      readonly awaited: boolean;
    }
  | {
      readonly kind: 'waits';
      readonly target: string;
      readonly token: string;
      /** One of each waiter. */
      readonly requests: readonly PreparedRequest[];
      /** How long each waits. */
      readonly waitSeconds: number;
      readonly seconds: number;
    }
  | { readonly kind: 'trivial-jobs'; readonly database: string; readonly concurrency: number; readonly seconds: number }
  | {
      readonly kind: 'wakeups';
      readonly via: 'service' | 'graphile';
      readonly target: string;
      readonly database: string;
      readonly token: string;
      readonly ownerToken: string;
      readonly organizationId: string;
      readonly profileKey: string;
      readonly count: number;
    };

export interface StepResult {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

export interface LoadResult {
  /** Operations and seconds behind the warm-up. */
  readonly operations: number;
  readonly seconds: number;
  readonly failures: number;
  readonly firstFailure: string | undefined;
  /** Milliseconds by the name of the step. */
  readonly steps: Readonly<Record<string, StepResult>>;
  /** What the generator itself spent from start to end, warm-up included. */
  readonly cpuMs: number;
  /** All operations, warm-up included. */
  readonly total: number;
}
