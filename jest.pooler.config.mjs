import jest from './jest.config.mjs';

/**
 * The part of the tests that depends on how connections work, with a PgBouncer in transaction mode between the service
 * and its database.
 *
 * Left out: what never reaches the pooled address (pure functions, layout, the embedded server, migrations, schema,
 * plans), what replaces it by one of its own (cut lines, restarts of the database), what counts round trips or named
 * statements, and what holds more transactions open at once than the pooler has connections. The other families of the
 * API send their statements through the same few functions of `kernel/database`.
 */
const DATA_LAYER = [
  'pooler',
  'contract/row-level-security',
  'invariants/database/(read-batches|retried-transactions|shared-transactions|terminated-backends)',
  'invariants/isolation/(smallest-pool|page-bytes)',
  'invariants/tenancy/(one-key-one-organization|revocation)',
  'invariants/leases/(capacity|start-against-stop|live-executions-of-runs)',
  'invariants/claims/(claim-lines|claim-wakeup|claim-fairness)',
  'invariants/completion/(complete-against-.*|same-completion-both-ways)',
  'invariants/turns/turn-claims',
  'invariants/event-streams/event-stream-processes',
  'api/internal-runs/(claim|start|complete|fail)',
  'api/durability/.*',
];

export default {
  ...jest,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: [`<rootDir>/test/(?!(${DATA_LAYER.join('|')}))`],
  globalSetup: '<rootDir>/test/support/pooler-setup.mjs',
  globalTeardown: '<rootDir>/test/support/pooler-teardown.mjs',
};
