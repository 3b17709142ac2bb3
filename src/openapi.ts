import { writeFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.ts';
import { Config, readSettings } from './config/index.ts';
import { buildDocument, createAdapter, Draining } from './kernel/http/index.ts';

/** Writes the OpenAPI document to a file (`openapi.json` by default) without a database: nothing is instantiated. */
const file = process.argv[2] ?? 'openapi.json';
const config = new Config(readSettings({}), {
  url: 'postgresql://unused/unused',
  ownerBootstrapToken: '',
  agentServiceTokens: [],
  capabilityKeys: [],
  encryptionKeys: [],
});
const app = await NestFactory.create<NestFastifyApplication>(
  AppModule.register(config, new Draining()),
  createAdapter(),
  {
    preview: true,
    bodyParser: false,
    logger: ['error'],
  },
);
await app.init();
const document = buildDocument(app, 'http://127.0.0.1:3000');
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
process.stdout.write(`${file}: ${Object.keys(document.paths).length} paths\n`);
process.exit(0);
