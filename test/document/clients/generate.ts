import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { generate } from 'orval';

/** Generates the three clients from a document: `node generate.ts openapi.json`. */
const input = process.argv[2]!;
const folder = (client: string) => join(import.meta.dirname, client, 'generated');

const types = await openapiTS(JSON.parse(readFileSync(input, 'utf8')) as OpenAPI3, { defaultNonNullable: false });
mkdirSync(folder('openapi-fetch'), { recursive: true });
writeFileSync(join(folder('openapi-fetch'), 'api.ts'), astToString(types));

await createClient({
  input,
  output: { path: folder('hey-api'), module: { extension: '.ts' } },
  logs: { level: 'silent' },
});

await generate({
  input,
  output: {
    mode: 'single',
    target: join(folder('orval'), 'api.ts'),
    client: 'fetch',
    override: { mutator: { path: join(import.meta.dirname, 'orval/send.ts'), name: 'send', extension: '.ts' } },
  },
});
