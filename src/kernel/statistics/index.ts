/**
 * Guarantees: the planner learns within seconds what tables hold that grow quickly from nothing, so that no plan of an
 * empty database outlives its emptiness.
 * Refuses: tables that are large already; autovacuum keeps up with them.
 */
export { StatisticsModule } from './statistics.module.ts';
