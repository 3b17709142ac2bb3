/**
 * Guarantees: a `@Job` runs on its schedule on every replica whose role includes work, never twice at once in one process.
 * Refuses: remembering anything between ticks; what is due is read from the database each time.
 */
export { Job } from './job.decorator.ts';
export { JobRunner } from './job-runner.ts';
export { JobsModule } from './jobs.module.ts';
