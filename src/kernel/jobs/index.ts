/**
 * Guarantees: a `@Job` runs on its schedule on every replica whose role runs jobs, never twice at once in one process.
 * Refuses: to remember anything between ticks; what is due is read from the database each time.
 */
export { Job } from './job.decorator.ts';
export { JobRunner } from './job-runner.ts';
export { JobsModule } from './jobs.module.ts';
