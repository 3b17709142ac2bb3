import { build, isStale } from './build.ts';

/** Runs the bench, whose baselines take their statements from the build; builds first when the sources are newer. */
if (isStale()) build();
await import('../bench/main.ts');
