/**
 * Guarantees: of calls that compete for something scarce a bounded number is let in at once, of each key at most its
 * share; keys that wait are served in turn.
 * Of the database's connections each lane has some of its own, so that what a lease hangs on waits for nothing else.
 * Refuses: what finds its key's queue full or waits too long, with 503 and `Retry-After`.
 */
export { Admission, type AdmissionLimits } from './admission.ts';
export { FOR_ALL, inBackground, isJob, JOBS, type Lane, LANES, laneSizes, type Line, outsideJobs } from './lanes.ts';
