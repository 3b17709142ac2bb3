/** Behaviour over HTTP and invariants against a real PostgreSQL; pure functions beside their code. */
export default {
  testMatch: [
    '<rootDir>/test/**/*.test.ts',
    '<rootDir>/src/**/*.test.ts',
    '<rootDir>/examples/**/*.test.ts',
    '<rootDir>/scripts/**/*.test.ts',
    '<rootDir>/faults/**/*.test.ts',
    '<rootDir>/bench/**/*.test.ts',
  ],
  // They need PgBouncer (`npm run test:pooler`) and Chromium (`npm run test:document`).
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/pooler/', '<rootDir>/test/document/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '@swc/jest' },
  // SWC rewrites `.ts` specifiers to `.js`, as the build wants them; here they name sources again.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Packages and the application are loaded once a worker, the application from its build.
  testEnvironment: '<rootDir>/test/support/jest/shared-realm.mjs',
  runtime: '<rootDir>/test/support/jest/shared-modules.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // Far beyond what any test takes: on a busy machine a start of the service may take ten seconds.
  testTimeout: 60_000,
  // Half of a test's time is the database's, which runs beside them.
  maxWorkers: '100%',
  // Test files, and what supports them, stay in a worker's memory, which slows it down; it begins anew then.
  workerIdleMemoryLimit: '1GB',
};
