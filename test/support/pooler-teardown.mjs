import globalTeardown from './global-teardown.mjs';

export default async function poolerTeardown() {
  await globalThis.testPooler.stop();
  await globalTeardown();
}
