/**
 * Guarantees: of calls that compete for something scarce, a limited number is admitted at once, and of each key at most
 * its share; waiting keys are served in turn. Each lane has database connections of its own, so that calls on which a
 * lease depends wait for no other work.
 * Refuses: calls that find their key's queue full or wait too long, with 503 and `Retry-After`.
 */
export { Admission, type AdmissionLimits } from './admission.ts';
export { FOR_ALL, inBackground, isJob, JOBS, type Lane, LANES, laneSizes, type Line, outsideJobs } from './lanes.ts';
