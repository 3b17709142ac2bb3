import type { Addend } from '../metrics/index.ts';
import type { Traceparent } from './traceparent.ts';
import type { TracedWork } from './traced-work.ts';

export interface TracedRequest extends TracedWork {
  /** Ends the request's span; later calls do nothing. `status` is undefined when the client left unanswered. */
  end(status: number | undefined): void;
}

/** Makes spans of what sets the service to work, and sends them away. */
export interface Tracer {
  /** Begins the span of a request; `route` is undefined where none matched. */
  request(method: string, route: string | undefined, parent: Traceparent | undefined): TracedRequest;
  /** Runs a tick of a job as a trace of its own. */
  tick<T>(job: string, work: () => Promise<T>): Promise<T>;
  /** Adds the number of spans that are lost from now on. */
  countLosses(counter: Addend): void;
  /** Sends the spans that wait, for so long at most, and takes no more. */
  end(limitMs: number): Promise<void>;
}
