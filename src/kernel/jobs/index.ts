/**
 * Guarantees: a `@Job` runs on its schedule on every replica whose role runs jobs, never twice at once in one process. The
 * log tells once that it fails, however often it does, and once that it works again.
 * Refuses: to remember anything between ticks; what is due is read from the database each time.
 */
export { Job } from './job.decorator.ts';
export { JobRunner } from './job-runner.ts';
export { JobsModule } from './jobs.module.ts';
