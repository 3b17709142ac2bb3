import { ACTION_LIMITS } from '../action.state.ts';

/** What a provider answered, or that it is too large to keep. */
export function boundedResult(result: object | null): object | null {
  if (result === null) return null;
  const bytes = Buffer.byteLength(JSON.stringify(result));
  return bytes <= ACTION_LIMITS.resultBytes ? result : { truncated: true, bytes };
}
