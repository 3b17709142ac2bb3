import { build, isStale } from './build.ts';

/**
 * Interval of looks for the parent process. It must be gone twice in a row, so that a signal to all processes arrives
 * first.
 */
const WATCH_MS = 250;

/** Starts the service; builds first if the sources are newer than the build. */
const parent = process.ppid;
if (isStale()) build();
await import(new URL('../dist/src/main.js', import.meta.url).href);
if (process.env.npm_lifecycle_event === 'start') stopWithParent();

/**
 * Stops when the parent has gone: npm sends SIGTERM to the shell that runs this, and some shells (dash) end without
 * passing it on.
 */
function stopWithParent(): void {
  let gone = 0;
  const watch = setInterval(() => {
    if (process.ppid !== parent && ++gone === 2) process.kill(process.pid, 'SIGTERM');
  }, WATCH_MS).unref();
  // A second signal would end the process at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => clearInterval(watch));
}
