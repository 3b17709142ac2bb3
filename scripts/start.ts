import { build, isStale } from './build.ts';

/** How often the parent is looked for; found gone twice in a row, so that a signal to all of them comes first. */
const WATCH_MS = 250;

/** Starts the service; builds first when the sources are newer than the build. */
const parent = process.ppid;
if (isStale()) build();
await import(new URL('../dist/src/main.js', import.meta.url).href);
if (process.env.npm_lifecycle_event === 'start') stopWithParent();

/** npm sends SIGTERM to the shell that it runs this in, which may end without passing it on: dash does. */
function stopWithParent(): void {
  let gone = 0;
  const watch = setInterval(() => {
    if (process.ppid !== parent && ++gone === 2) process.kill(process.pid, 'SIGTERM');
  }, WATCH_MS).unref();
  // A second signal would cut the stop short.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => clearInterval(watch));
}
