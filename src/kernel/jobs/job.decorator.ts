const JOB = Symbol('job');

export interface JobSpec {
  /** Unique in the application; names the job in logs. */
  readonly name: string;
  /** Cron expression with seconds, in UTC. */
  readonly schedule: string;
  /** Whether it also runs when a worker starts. */
  readonly atStart: boolean;
}

/**
 * Marks a method as a job that every worker replica runs on its schedule. The job must take its rows under a lock or
 * with SKIP LOCKED, in bounded batches, and survive being killed at any line. Must be the only decorator of its method,
 * because others may replace the function that carries the mark. The method gets a signal that aborts when the process
 * stops; it must then end after the current batch.
 */
export function Job(name: string, schedule: string, { atStart = false } = {}): MethodDecorator {
  return (_target, _key, descriptor) => {
    Reflect.defineMetadata(JOB, { name, schedule, atStart } satisfies JobSpec, descriptor.value as object);
  };
}

export function jobOf(method: object): JobSpec | undefined {
  return Reflect.getMetadata(JOB, method) as JobSpec | undefined;
}
