import { build, isStale } from './build.ts';

/** Starts the service; builds first if the sources are newer than the build. */
if (isStale()) await build();
await import(new URL('../dist/src/main.js', import.meta.url).href);
