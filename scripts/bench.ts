import { build, isStale } from './build.ts';

/**
 * Runs the bench. Builds first if the sources are newer, because the baselines take their statements from the build.
 */
if (isStale()) await build();
await import('../bench/main.ts');
