/**
 * The embedded PostgreSQL for trials and tests, and the credentials that a first start makes. Deployments do not use
 * it.
 *
 * Guarantees: one server per folder, however many processes use it; it runs while at least one of them lives and stops
 * within seconds of the end of the last one, however it died; committed data is there at the next start, whatever was
 * killed at whatever line. A credential that was made is kept with mode 0600, and one set by the environment overrules
 * it.
 * Refuses: addresses other than loopback, connections without the password, systems without PostgreSQL binaries.
 */
export {
  type Credential,
  type EmbeddedDefault,
  examineEmbeddedDefault,
  startEmbeddedDatabase,
  startEmbeddedDefault,
} from './embedded-default.ts';
export { type EmbeddedServer, startEmbeddedServer } from './embedded-server.ts';
export { freePort } from './free-port.ts';
