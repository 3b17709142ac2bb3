import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';

/**
 * Writes the script of the page `/docs` to a folder, as it is and compressed, so that the service streams it from a file.
 * It is taken from Scalar's plugin, which would keep all 5 MB of it in memory.
 */
export async function writeScalar(folder: string): Promise<void> {
  const app = fastify();
  await app.register(scalar, { routePrefix: '/', configuration: { content: {} } });
  const { statusCode, rawPayload } = await app.inject('/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`Scalar's plugin does not serve its script: ${statusCode}.`);
  // Its map is not there.
  const script = rawPayload.toString().replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'scalar.js'), script);
  writeFileSync(join(folder, 'scalar.js.gz'), gzipSync(script));
}
