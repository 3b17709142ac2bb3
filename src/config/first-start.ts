import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomToken } from '../kernel/crypto/index.ts';

/** Credentials of the embedded default, each in a file of mode 0600. */
export interface FirstCredentials {
  readonly ownerBootstrapToken: string;
  readonly agentServiceToken: string;
  /** Whether this call made one of them. */
  readonly fresh: boolean;
  readonly files: { readonly owner: string; readonly service: string };
}

/** Reads the credentials of a data folder, or makes them at its first start. */
export function firstCredentials(dataDir: string): FirstCredentials {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const files = { owner: join(dataDir, 'owner-token'), service: join(dataDir, 'agent-service-token') };
  const fresh = !existsSync(files.owner) || !existsSync(files.service);
  return { ownerBootstrapToken: keep(files.owner), agentServiceToken: keep(files.service), fresh, files };
}

/** The first of several processes that start at once writes the file, the others read it. */
function keep(file: string): string {
  try {
    writeFileSync(file, `${randomToken()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
