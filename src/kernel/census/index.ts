/**
 * Guarantees: what is open across organizations is counted at a scrape, at most every 10 s, in one round trip of the
 * dispatch role on the lane of jobs; a database that does not answer costs a scrape 2 s and the counts, nothing else.
 * Refuses: counts that grow with history; each reads an index of what is open, up to a limit that its metric names.
 */
export { Census } from './census.ts';
export { CensusModule } from './census.module.ts';
export { COUNT_LIMIT, type Counted, counted } from './census.queries.ts';
