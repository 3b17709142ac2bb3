import { defineMetrics } from '../metrics/index.ts';

export const CensusMetrics = defineMetrics({
  up: {
    kind: 'gauge',
    name: 'database_up',
    help: '1 if the database answered this process within 2 s, otherwise 0. Looked up at a scrape, at most every 10 s.',
  },
  migrationsMissing: {
    kind: 'gauge',
    name: 'database_migrations_missing',
    help: 'Migrations of this build that the database lacks; absent while it does not answer.',
  },
  countedAt: {
    kind: 'gauge',
    name: 'counts_timestamp_seconds',
    help: 'When what the deployment has waiting and at work was counted, in seconds since 1970; at a scrape, at most every 10 s. Absent, as those counts are, while the database does not answer within 2 s.',
  },
});
