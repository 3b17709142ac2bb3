import { build, isStale } from './build.ts';

if (isStale()) await build();
await import(new URL('../dist/src/migrate.js', import.meta.url).href);
