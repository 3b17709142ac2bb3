/**
 * One process that uses an embedded server: `node embedded-server-child.ts <dataDir>`. Says `{url, firstStart, startMs}`
 * in one line when it has the server, stops it when told `stop`, and dies with the test that started it.
 */
import { createInterface } from 'node:readline';
import { startEmbeddedServer } from '../../../src/embedded/index.ts';

// As the service does, whose drain goes on after Ctrl-C.
process.on('SIGINT', () => {});

const input = createInterface(process.stdin);
input.on('close', () => process.exit(1));

const startedAt = performance.now();
const server = await startEmbeddedServer({ dataDir: process.argv[2]! });
const startMs = Math.round(performance.now() - startedAt);
console.log(JSON.stringify({ url: server.url, firstStart: server.firstStart, startMs }));

input.on('line', (line) => {
  if (line === 'stop') void Promise.all([server.stop(), server.stop()]).then(() => process.exit(0));
});
