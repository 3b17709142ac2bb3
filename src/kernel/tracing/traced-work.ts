import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The span of the statements that one piece of work sends over one connection. It holds what the statements do and how
 * many they are, never their values.
 */
export interface StatementsSpan {
  /** Counts a statement. */
  note(text: string): void;
  end(error?: unknown): void;
}

/** What work is done for while traces are on: a request, or a tick of a job. */
export interface TracedWork {
  readonly traceId: string;
  /** The header `traceparent` of calls to others that belong to this work. */
  readonly traceparent: string;
  /** Whether spans of it are recorded: it is sampled and has not ended. */
  readonly isRecording: boolean;
  /** Begins the span of statements, below this work's own and linked with those of `others`, which share them. */
  statements(others: readonly TracedWork[]): StatementsSpan;
}

/** A call that may wait for others and then share a transaction with them. */
export interface Sharer {
  /** What it was made for, as `tracedWork` said when it was made. */
  readonly traced: TracedWork | undefined;
}

/** Holds nothing unless traces are on. */
const current = new AsyncLocalStorage<TracedWork | Shared | undefined>();

/** Work for several at once. They are looked at as late as possible, since calls join until their connection is there. */
class Shared {
  constructor(private readonly sharers: readonly Sharer[]) {}

  get recording(): readonly TracedWork[] {
    const all = new Set<TracedWork>();
    for (const { traced } of this.sharers) if (traced?.isRecording) all.add(traced);
    return [...all];
  }
}

/** What the running code works for; undefined when traces are off, outside requests and jobs, and in shared work. */
export function tracedWork(): TracedWork | undefined {
  const store = current.getStore();
  return store instanceof Shared ? undefined : store;
}

/** The value of `traceparent` for calls to others that the running code makes; undefined when there is none. */
export function outgoingTraceparent(): string | undefined {
  return tracedWork()?.traceparent;
}

/** Begins the span of statements of the running code; undefined where nobody records it. */
export function statementsSpan(): StatementsSpan | undefined {
  const store = current.getStore();
  if (store === undefined) return undefined;
  if (!(store instanceof Shared)) return store.isRecording ? store.statements(NONE) : undefined;
  const [first, ...others] = store.recording;
  return first?.statements(others);
}

const NONE: readonly TracedWork[] = [];

/** Runs code for a request or a tick. */
export function runFor<T>(work: TracedWork | undefined, code: () => T): T {
  return current.run(work, code);
}

/** Runs code for several calls: its spans belong to the first that is recorded, and are linked with the others. */
export function runForAll<T>(sharers: readonly Sharer[], code: () => T): T {
  if (current.getStore() === undefined && !sharers.some(isTraced)) return code();
  return current.run(new Shared(sharers), code);
}

function isTraced({ traced }: Sharer): boolean {
  return traced !== undefined;
}

/** Runs code that a request or tick only set off, so that its statements are not that one's spans. */
export function runUntraced<T>(code: () => T): T {
  return current.getStore() === undefined ? code() : current.run(undefined, code);
}
