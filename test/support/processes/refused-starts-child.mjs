/**
 * Starts the built service once for each environment that it is told, in one process that has loaded everything, which is
 * most of what a start takes; answers with what the service said on stderr and with the code that it ended with.
 */
const main = new URL('../../../dist/src/main.js', import.meta.url).href;
const write = process.stderr.write.bind(process.stderr);
let starts = 0;
// A start leaves what the end of its process would take along.
process.setMaxListeners(0);

process.on('message', (env) => void start(env));

async function start(env) {
  for (const name of Object.keys(process.env)) if (name !== 'PATH') delete process.env[name];
  Object.assign(process.env, env);
  let stderr = '';
  process.stderr.write = (chunk) => (stderr += chunk) !== '';
  const { promise: ended, resolve: exit } = Promise.withResolvers();
  process.exit = exit;
  starts += 1;
  await import(`${main}?start=${starts}`);
  const code = await ended;
  process.stderr.write = write;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.removeAllListeners(signal);
  process.send({ code, stderr });
}
