import type { MongoClientOptions } from 'mongodb';

/** Loads the driver with its first use, because it takes 20 MB and the time of a start. */
export function driver(): Promise<typeof import('mongodb')> {
  return import('mongodb');
}

/** Of a call, on the server. */
export const EXPLAIN_MS = 2_000;
export const RUN_MS = 5_000;
export const REPORT_MS = 10_000;
/** Of what runs: nothing that was read can be rolled back. Servers explain no pipeline under it, so it is not the client's. */
export const MAJORITY = { readConcern: { level: 'majority' } } as const;
/** For names, TCP, TLS and the first word of a server. */
const CONNECT_MS = 3_000;

/** What no text of a credential, a name server or a server can change. */
export const PINNED = {
  appName: 'service-integration',
  authSource: 'admin',
  tls: true,
  // Whatever the environment of the process says.
  rejectUnauthorized: true,
  readPreference: 'primary',
  retryReads: true,
  retryWrites: false,
  // As many as a connector may ask at once, so that none waits in the driver.
  maxPoolSize: 4,
  minPoolSize: 0,
  maxConnecting: 2,
  maxIdleTimeMS: 30_000,
  waitQueueTimeoutMS: CONNECT_MS,
  connectTimeoutMS: CONNECT_MS,
  serverSelectionTimeoutMS: CONNECT_MS,
  socketTimeoutMS: 15_000,
  heartbeatFrequencyMS: 30_000,
  serverMonitoringMode: 'poll',
  monitorCommands: false,
  promoteValues: true,
  promoteLongs: false,
  enableUtf8Validation: true,
  ignoreUndefined: false,
} as const satisfies MongoClientOptions;
