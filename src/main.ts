import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.setup.ts';
import { Config, deploymentFromSettings, readSettings, unknownVariables } from './config/index.ts';
import { type Credential, type EmbeddedDefault, startEmbeddedDefault } from './embedded/index.ts';
import { failStart } from './fail-start.ts';
import { Migrations } from './kernel/database/index.ts';
import { closeWithin, Draining } from './kernel/http/index.ts';
import { createLogger } from './kernel/logging/index.ts';
import { Secrets } from './kernel/secrets/index.ts';
import { explainListening } from './listening.ts';

/**
 * Signals within this time of the first belong to one request to stop: at Ctrl-C a terminal signals all its processes, and
 * npm passes the signal on to one that has it already.
 */
const ONE_REQUEST_MS = 2_000;

async function main(): Promise<void> {
  // Until there is something to drain, a signal ends the start. Without a handler, the first process of a container
  // ignores signals.
  const signals = onSignal(() => process.exit(0));
  const settings = readSettings(process.env);
  const described = deploymentFromSettings(settings);
  const embedded = described ? undefined : await startEmbeddedDefault(resolve(settings.DATA_DIR), settings);
  const config = new Config(settings, described ?? embedded!.deployment);
  const logger = createLogger(config.logLevel, config.tokens);
  for (const { name, problem } of unknownVariables(process.env)) logger.warn(`${name}: ${problem}`);
  const app = await createApp(config, logger);
  await app.get(Migrations).prepare();
  await app.get(Secrets).require();
  await listen(app, config);
  signals.handler = async () => {
    // A second request ends the process without waiting.
    signals.handler = () => process.exit(1);
    const draining = app.get(Draining);
    draining.leave();
    await sleep(config.shutdownDrainSeconds * 1_000);
    draining.begin();
    const inTime = await closeWithin(draining, app.getHttpServer(), () => app.close(), config.shutdownTimeoutMs);
    if (!inTime) logger.warn('answered 503 to requests that still ran after SHUTDOWN_TIMEOUT_MS');
    await embedded?.stop();
    logger.info('stopped');
    process.exit(0);
  };
  const baseUrl = config.publicBaseUrl ?? (await app.getUrl());
  logger.info({ baseUrl, startMs: Math.round(performance.now()) }, 'ready');
  if (embedded) greet(baseUrl, config, embedded);
}

/** Handles requests to stop; the handler may be replaced during the life of the process. */
function onSignal(handler: () => unknown): { handler: () => unknown } {
  const current = { handler };
  let firstMs: number | undefined;
  const handle = () => {
    const nowMs = performance.now();
    if (firstMs !== undefined && nowMs - firstMs < ONE_REQUEST_MS) return;
    firstMs ??= nowMs;
    void current.handler();
  };
  // SIGHUP when its terminal is closed. Node undoes what `nohup` has set, so that the signal would kill it.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, handle);
  return current;
}

async function listen(app: NestFastifyApplication, config: Config): Promise<void> {
  // Initialised first, so that its errors are not reported as those of listening.
  await app.init();
  try {
    await app.listen(config.port, config.host);
  } catch (error) {
    throw explainListening(error, config);
  }
}

/** Prints the URLs and credentials to begin with. */
function greet(baseUrl: string, config: Config, { credentials }: EmbeddedDefault): void {
  const { owner, service, capability, encryption } = credentials;
  const lines = [
    '',
    `Business Runner is ready after ${(performance.now() / 1000).toFixed(1)} s.`,
    `  base URL       ${baseUrl}`,
    ...(config.docs ? [`  documents      ${baseUrl}/docs`] : []),
    `  owner token    ${shown(owner, owner.value)}`,
    `  service token  ${shown(service, service.value.join(','))}`,
    ...(capability.overrules ? [`  signing keys   ${shown(capability, '')}`] : []),
    ...(encryption.overrules ? [`  encryption     ${shown(encryption, '')}`] : []),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/**
 * Shows a credential when it was made, or on a terminal; later starts name only its file, and one of the environment is
 * never shown.
 */
function shown({ source, setting, file, overrules }: Credential<unknown>, value: string): string {
  if (source === 'environment') return `set by ${setting}${overrules ? `; the one in ${file} is ignored` : ''}`;
  return source === 'made' || process.stdout.isTTY ? `${value} (kept in ${file})` : `in ${file}`;
}

try {
  await main();
} catch (error) {
  failStart(error);
}
