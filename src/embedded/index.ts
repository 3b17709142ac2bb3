/**
 * The PostgreSQL for trying the service and for tests, and the credentials that a first start makes. No deployment uses it.
 *
 * Guarantees: one server a folder, however many processes use it; it runs while at least one of them lives and stops
 * within seconds of the last one's end, however that died; what was committed is there at the next start, whatever was
 * killed at whatever line. A credential that was made is kept, with mode 0600, and one of the environment overrules it.
 * Refuses: addresses other than loopback, connections without the password, systems without binaries.
 */
export {
  type Credential,
  type EmbeddedDefault,
  startEmbeddedDatabase,
  startEmbeddedDefault,
} from './embedded-default.ts';
export { type EmbeddedServer, startEmbeddedServer } from './embedded-server.ts';
