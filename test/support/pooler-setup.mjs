import globalSetup from './global-setup.mjs';
import { PgBouncer } from './peers/pgbouncer.ts';

/** The same run, in which the service reaches its databases through a PgBouncer. */
export default async function poolerSetup() {
  await globalSetup();
  const pooler = await PgBouncer.start(process.env.TEST_DATABASE_URL);
  process.env.TEST_POOLER_URL = pooler.through(process.env.TEST_DATABASE_URL);
  globalThis.testPooler = pooler;
}
