import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes the OpenAPI document of this source to a temporary file, which is removed when `use` is done. */
export async function withOpenapiFile<Result>(use: (file: string) => Result | Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'business-runner-openapi-'));
  try {
    const file = join(folder, 'openapi.json');
    const { status } = spawnSync(process.execPath, ['scripts/run.mjs', './openapi.ts', file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error('The OpenAPI document could not be made; see above.');
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
