import { resolve } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.setup.ts';
import { Config, databaseFromSettings, firstCredentials, readSettings } from './config/index.ts';
import { failStart } from './fail-start.ts';
import { startEmbeddedServer } from './kernel/database/embedded/embedded-server.ts';
import { Migrations } from './kernel/database/index.ts';
import { closeWithin, Draining } from './kernel/http/index.ts';
import { createLogger } from './kernel/logging/index.ts';

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const external = databaseFromSettings(settings);
  const local = external ? undefined : await startLocally(resolve(settings.DATA_DIR));
  const config = new Config(settings, external ?? local!.source);
  const logger = createLogger(config.logLevel);
  const app = await createApp(config, logger);
  if (config.database.migrateOnStart) await app.get(Migrations).apply();
  await app.listen(config.port, config.host);
  stopOnSignal(app, config.shutdownTimeoutMs, async () => {
    await local?.server.stop();
    logger.info('stopped');
    logger.flush();
  });
  const baseUrl = config.publicBaseUrl ?? (await app.getUrl());
  logger.info({ baseUrl, startMs: Math.round(performance.now()) }, 'ready');
  if (local) greet(baseUrl, config, local.credentials);
}

/** Without a database of the operator's the service brings its own, and credentials with it. */
async function startLocally(dataDir: string) {
  const credentials = firstCredentials(dataDir);
  const server = await startEmbeddedServer({ dataDir });
  const source = {
    url: server.url,
    ownerBootstrapToken: credentials.ownerBootstrapToken,
    agentServiceTokens: [credentials.agentServiceToken],
  };
  return { credentials, server, source };
}

/** The first signal drains, a second one gives up waiting. */
function stopOnSignal(app: NestFastifyApplication, limitMs: number, afterwards: () => Promise<void>): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(1);
    stopping = true;
    app.get(Draining).begin();
    await closeWithin(app.getHttpServer(), () => app.close(), limitMs);
    await afterwards();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
}

/** Shows where to go and with what. Tokens go to a terminal or out once; afterwards their files are named. */
function greet(baseUrl: string, config: Config, credentials: ReturnType<typeof firstCredentials>): void {
  const show = process.stdout.isTTY || credentials.fresh;
  const { owner, service } = credentials.files;
  process.stdout.write(
    [
      '',
      `Business Runner is ready after ${(performance.now() / 1000).toFixed(1)} s.`,
      `  base URL       ${baseUrl}`,
      ...(config.docs ? [`  documents      ${baseUrl}/docs`] : []),
      `  owner token    ${show ? credentials.ownerBootstrapToken : `in ${owner}`}`,
      `  service token  ${show ? credentials.agentServiceToken : `in ${service}`}`,
      ...(show ? [`  (kept in ${owner} and ${service})`] : []),
      '',
      '',
    ].join('\n'),
  );
}

try {
  await main();
} catch (error) {
  failStart(error);
}
