/**
 * Guarantees: of calls that compete for something scarce a bounded number is let in at once, of each key at most its
 * share; keys that wait are served in turn.
 * Refuses: what finds its key's queue full or waits too long, with 503 and `Retry-After`.
 */
export { Admission, type AdmissionLimits } from './admission.ts';
