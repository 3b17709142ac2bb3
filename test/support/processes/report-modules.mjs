/** Preloaded into a service: prints the packages of OpenTelemetry that the process loads, one a line, on stderr. */
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    const found = /\/node_modules\/(@opentelemetry\/[^/]+)\//.exec(url);
    if (found) process.stderr.write(`loaded ${found[1]}\n`);
    return next(url, context);
  },
});
