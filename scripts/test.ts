import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Runs Jest and prints `N passed, N failed` at the end, counted from its result. Passes arguments to Jest. */
const folder = mkdtempSync(join(tmpdir(), 'business-runner-jest-'));
const result = join(folder, 'result.json');
/** What one run has compiled of packages and the build, the next one need not; nor need what the tests start. */
const compiled = resolve('node_modules/.cache/compiled');
const exitWhenIdle = pathToFileURL(join(import.meta.dirname, '../test/support/exit-when-idle.mjs')).href;
const jest = spawnSync(
  process.execPath,
  ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${result}`, ...process.argv.slice(2)],
  {
    stdio: ['inherit', 'ignore', 'inherit'],
    env: {
      NODE_COMPILE_CACHE: compiled,
      ...process.env,
      NODE_OPTIONS: `--experimental-vm-modules --disable-warning=ExperimentalWarning --import=${exitWhenIdle}`,
    },
  },
);
let passed = 0;
let failed = 1;
try {
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(result, 'utf8')) as {
    numPassedTests: number;
    numFailedTests: number;
    numRuntimeErrorTestSuites: number;
  };
  passed = numPassedTests;
  failed = numFailedTests + numRuntimeErrorTestSuites;
} catch {
  // Jest ended before it wrote a result, which counts as one failure.
  process.stderr.write(`Jest wrote no result: ${jest.signal ?? jest.error?.message ?? `exit code ${jest.status}`}.\n`);
}
// A failed teardown shows only in the exit code.
if (jest.status !== 0 && failed === 0) failed = 1;
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
