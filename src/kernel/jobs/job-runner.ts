import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { Config } from '../../config/index.ts';
import { inBackground } from '../admission/index.ts';
import { type Addend, Metrics, type Sample } from '../metrics/index.ts';
import { JobMetrics } from './job.metrics.ts';
import { Tracing } from '../tracing/index.ts';
import { type JobSpec, jobOf } from './job.decorator.ts';
import { JobTrouble } from './job-trouble.ts';
import { LateTime } from './late-time.ts';

type Work = (signal: AbortSignal) => Promise<void>;

interface RegisteredJob {
  readonly work: Work;
  readonly succeeded: Addend;
  readonly failed: Addend;
  readonly seconds: Sample;
  readonly trouble: JobTrouble;
  /** Since when the job is up to date: the beginning of its last success, or the start of the process. */
  upToDateMs: number;
  succeededAtMs: number | undefined;
}

/**
 * Registers every `@Job` with the scheduler. A job that still runs skips its tick; a failed one runs again at the next.
 * The log tells once that a job fails, and once that it works again.
 */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly jobs = new Map<string, RegisteredJob>();
  private readonly atWork = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly scheduler: SchedulerRegistry,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
  ) {}

  onApplicationBootstrap(): void {
    for (const { spec, work } of this.find()) {
      if (this.jobs.has(spec.name)) throw new Error(`Two jobs are called "${spec.name}".`);
      const job = this.measured(spec.name, work);
      this.jobs.set(spec.name, job);
      if (this.config.role === 'api') continue;
      const cron = CronJob.from({ cronTime: spec.schedule, onTick: () => void this.tick(spec.name) });
      cron.setTime(new LateTime(spec.schedule, 'UTC'));
      cron.start();
      this.scheduler.addCronJob(spec.name, cron);
      this.metrics.gauge(JobMetrics.lag, () => lagSeconds(cron, job), { name: spec.name });
      if (spec.atStart) void this.tick(spec.name);
    }
  }

  /** Stops new ticks; running jobs end after their batch, and what they leave undone waits for the next process. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    for (const cron of this.scheduler.getCronJobs().values()) void cron.stop();
    await Promise.allSettled(this.atWork.values());
  }

  /** Runs a job now and waits for it; joins it if it runs already. */
  async run(name: string): Promise<void> {
    await (this.atWork.get(name) ?? this.start(name));
  }

  private async tick(name: string): Promise<void> {
    const { trouble } = this.jobs.get(name)!;
    try {
      await this.run(name);
      const back = trouble.succeeded(Date.now());
      if (back) this.logger.log(back);
    } catch (error) {
      const told = trouble.failed(error, Date.now());
      if (told?.level === 'warn') this.logger.warn(told.message);
      else if (told) this.logger.error(told.message, told.stack);
    }
  }

  private start(name: string): Promise<void> {
    const job = this.jobs.get(name);
    if (!job) throw new Error(`There is no job "${name}".`);
    const { tracer } = this.tracing;
    const timed = () => inBackground(() => this.timed(job));
    const running = (tracer ? tracer.tick(name, timed) : timed()).finally(() => this.atWork.delete(name));
    this.atWork.set(name, running);
    return running;
  }

  private async timed(job: RegisteredJob): Promise<void> {
    const beganMs = Date.now();
    const startedMs = performance.now();
    try {
      await job.work(this.stopping.signal);
      job.upToDateMs = beganMs;
      job.succeededAtMs = Date.now();
      job.succeeded.inc();
    } catch (error) {
      job.failed.inc();
      throw error;
    } finally {
      job.seconds.observe((performance.now() - startedMs) / 1_000);
    }
  }

  private measured(name: string, work: Work): RegisteredJob {
    const job: RegisteredJob = {
      work,
      succeeded: this.metrics.counter(JobMetrics.runs, { name, outcome: 'success' }),
      failed: this.metrics.counter(JobMetrics.runs, { name, outcome: 'failure' }),
      seconds: this.metrics.histogram(JobMetrics.duration, { name }),
      trouble: new JobTrouble(name),
      upToDateMs: Date.now(),
      succeededAtMs: undefined,
    };
    const succeeded = () => (job.succeededAtMs === undefined ? undefined : job.succeededAtMs / 1_000);
    this.metrics.gauge(JobMetrics.lastSuccess, succeeded, { name });
    return job;
  }

  private *find(): Generator<{ spec: JobSpec; work: Work }> {
    for (const { instance } of this.discovery.getProviders()) {
      if (typeof instance !== 'object' || instance === null) continue;
      const holder = instance as Record<string, Work>;
      for (const key of this.scanner.getAllMethodNames(Object.getPrototypeOf(holder) as object)) {
        const spec = jobOf(holder[key]!);
        if (spec) yield { spec, work: (signal) => holder[key]!(signal) };
      }
    }
  }
}

/** How long ago a job was due for the first time behind its last success. */
function lagSeconds({ cronTime }: CronJob, { upToDateMs }: RegisteredJob): number {
  const due = cronTime.getNextDateFrom(new Date(upToDateMs), 'UTC');
  return Math.max(0, Date.now() - due.toMillis()) / 1_000;
}
