import { describe, expect, it, jest } from '@jest/globals';
import { type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Config, ConfigModule } from '../../config/index.ts';
import { Tracing, TracingModule } from '../tracing/index.ts';
import { Job, JobRunner, JobsModule } from './index.ts';

const NEVER = '0 0 0 1 1 *';

/** A job whose end the test decides. */
class Slow {
  starts = 0;
  failures = 0;
  end = Promise.withResolvers<void>();
  signal: AbortSignal | undefined;

  @Job('slow', NEVER)
  async work(signal: AbortSignal): Promise<void> {
    this.starts += 1;
    this.signal = signal;
    await this.end.promise;
  }

  /** Whether the job fails. */
  broken = true;

  @Job('failing', NEVER)
  fail(): Promise<void> {
    this.failures += 1;
    return this.broken ? Promise.reject(new Error('expected by the test')) : Promise.resolve();
  }
}

@Module({})
class Jobs {}

async function start(role: Config['role'], logger: LoggerService | false = false) {
  const app = await NestFactory.createApplicationContext(
    {
      module: Jobs,
      imports: [ConfigModule.register({ role } as Config), TracingModule.register(Tracing.OFF), JobsModule],
      providers: [Slow],
    },
    { logger },
  );
  return { app, runner: app.get(JobRunner), slow: app.get(Slow) };
}

describe('JobRunner', () => {
  it.each([
    ['all', ['slow', 'failing']],
    ['worker', ['slow', 'failing']],
    ['api', []],
  ] as const)('with the role %s schedules %j', async (role, names) => {
    const { app } = await start(role);
    const scheduled = app.get(SchedulerRegistry).getCronJobs();
    expect([...scheduled.keys()]).toEqual(names);
    for (const job of scheduled.values()) expect([job.cronTime.source, job.isActive]).toEqual([NEVER, true]);
    await app.close();
  });

  it('goes on ticking after a failure', async () => {
    const { app } = await start('all');
    const job = app.get(SchedulerRegistry).getCronJob('failing');
    await job.fireOnTick();
    await job.fireOnTick();
    expect(app.get(Slow).failures).toBe(2);
    expect(job.isActive).toBe(true);
    await app.close();
  });

  it('says once that a job fails, and once that it works again', async () => {
    const told: string[] = [];
    const tell = (message: string) => void (/failing/.test(message) && told.push(message));
    const { app, slow } = await start('all', { log: tell, warn: tell, error: tell });
    const job = app.get(SchedulerRegistry).getCronJob('failing');
    const tick = async () => {
      await job.fireOnTick();
      await new Promise((resolve) => setImmediate(resolve));
    };
    for (let nth = 0; nth < 3; nth += 1) await tick();
    slow.broken = false;
    for (let nth = 0; nth < 2; nth += 1) await tick();
    expect(told).toEqual([
      'failing pauses until it succeeds again: expected by the test',
      'failing works again after 3 failures in 0 s',
    ]);
    await app.close();
  });

  it('ticks at once when its moment passed while it was looked for, and says nothing past the log', async () => {
    const warn = jest.spyOn(console, 'warn');
    const { app } = await start('all');
    const job = app.get(SchedulerRegistry).getCronJob('failing');
    await job.stop();
    jest.spyOn(job.cronTime, 'sendAt').mockReturnValueOnce(job.nextDate().minus({ years: 1 }) as never);
    const ticked = Promise.withResolvers<void>();
    job.addCallback(ticked.resolve);
    job.start();
    await ticked.promise;
    expect([app.get(Slow).failures, warn.mock.calls]).toEqual([1, []]);
    await app.close();
  });

  it('joins a job that is still at work instead of starting it again', async () => {
    const { app, runner, slow } = await start('api');
    const both = Promise.all([runner.run('slow'), runner.run('slow')]);
    expect(slow.starts).toBe(1);
    slow.end.resolve();
    await both;
    await runner.run('slow');
    expect(slow.starts).toBe(2);
    await app.close();
  });

  it('tells whoever runs a job of its failure, and can run it again', async () => {
    const { app, runner } = await start('api');
    await expect(runner.run('failing')).rejects.toThrow('expected by the test');
    await expect(runner.run('failing')).rejects.toThrow('expected by the test');
    await app.close();
  });

  it('tells jobs at work to end, and waits for them, when the application stops', async () => {
    const { app, runner, slow } = await start('all');
    const running = runner.run('slow');
    expect(slow.signal?.aborted).toBe(false);
    let closed = false;
    const closing = app.close().then(() => (closed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([closed, slow.signal?.aborted]).toEqual([false, true]);
    slow.end.resolve();
    await Promise.all([running, closing]);
    expect(closed).toBe(true);
  });

  it('refuses to run what is no job', async () => {
    const { app, runner } = await start('api');
    await expect(runner.run('unknown')).rejects.toThrow('There is no job "unknown".');
    await app.close();
  });
});
