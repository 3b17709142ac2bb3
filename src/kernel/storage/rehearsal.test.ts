import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Config } from '../../config/index.ts';
import { FolderStore } from './folder-store.ts';
import { rehearse } from './rehearsal.ts';

const folder = () => mkdtempSync(join(process.env.TEST_FOLDER!, 'rehearsal-'));
const storeIn = (path: string) => new FolderStore({ objectStoreDir: path } as Config);

describe('rehearse', () => {
  it('leaves nothing of a folder that a start would make, nor of those above it', async () => {
    const above = folder();
    await rehearse(storeIn(join(above, 'bytes', 'objects')));
    expect(readdirSync(above)).toEqual([]);
  });

  it('leaves a folder as it was', async () => {
    const empty = folder();
    await rehearse(storeIn(empty));
    expect(readdirSync(empty)).toEqual([]);
    const inUse = folder();
    storeIn(inUse).prepare();
    await rehearse(storeIn(inUse));
    expect(readdirSync(inUse)).toEqual(['.incoming']);
  });

  it('rejects where no folder can be made', async () => {
    await expect(rehearse(storeIn('/proc/nothing'))).rejects.toThrow('ENOENT');
  });
});
