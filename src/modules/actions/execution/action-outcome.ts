import type { ActionEnd } from '../action-ending.service.ts';
import type { Sent } from '../action-executors.port.ts';
import { boundedResult } from './bounded-result.ts';

/** How an action ends of which it is certain what became. */
export function endOf(answer: Exclude<Sent, { outcome: 'ambiguous' }>): Omit<ActionEnd, 'actor'> {
  switch (answer.outcome) {
    case 'succeeded':
      return { move: 'succeed', result: boundedResult(answer.result) };
    case 'failed':
      return { move: 'fail', error: answer.error };
    case 'not_executed':
      return { move: 'notExecute', error: answer.error };
  }
}
