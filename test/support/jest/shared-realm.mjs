import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** What Jest needs for itself, whatever a test replaces. */
const KEPT = {
  'jest-native-promise': Promise,
  'jest-native-now': Date.now.bind(Date),
  'jest-native-read-file': readFileSync,
  'jest-native-write-file': writeFileSync,
  'jest-native-exists-file': existsSync,
};
for (const [name, value] of Object.entries(KEPT)) Object.defineProperty(globalThis, Symbol.for(name), { value });

/**
 * Runs test files in the realm of Node itself, so that they can share the modules that a worker has loaded
 * (`shared-modules.mjs`). Behind each file it takes back what the file replaced: spies, timers, environment.
 */
export default class SharedRealm {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern;
  before = { console: globalThis.console, exit: process.exit, env: { ...process.env } };

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  exportConditions() {
    return ['node', 'node-addons', 'module-sync'];
  }

  /** None: `SharedModules` compiles for the realm that it runs in. */
  getVmContext() {
    return undefined;
  }

  setup() {}

  teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    globalThis.console = this.before.console;
    process.exit = this.before.exit;
    for (const name of Object.keys(process.env)) if (!(name in this.before.env)) delete process.env[name];
    Object.assign(process.env, this.before.env);
  }
}
