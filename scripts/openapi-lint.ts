import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { withOpenapiFile } from './openapi-file.ts';

/**
 * Lints the OpenAPI document with Redocly (`redocly.yaml`) and Spectral (`.spectral.yaml`); a warning fails as an error
 * does. Neither asks the network for anything.
 */
const LINTERS = [
  ['redocly', 'lint', '--config=redocly.yaml', '--format=stylish'],
  ['spectral', 'lint', '--ruleset=.spectral.yaml', '--fail-severity=warn', '--quiet'],
];
const ENVIRONMENT = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

async function lint([program, ...options]: string[], file: string): Promise<boolean> {
  const child = spawn(`node_modules/.bin/${program}`, [...options, file], {
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (told += data.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  // Redocly ends with 0 where it only warns.
  const isClean = status === 0 && !/\b[1-9]\d* warnings?\b/.test(told);
  if (!isClean) process.stderr.write(`${program}:\n${told}\n`);
  return isClean;
}

const results = await withOpenapiFile((file) => Promise.all(LINTERS.map((linter) => lint(linter, file))));
if (results.includes(false)) process.exit(1);
