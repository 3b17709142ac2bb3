import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An empty folder, removed with the run. */
export function newFolder(name: string): string {
  return mkdtempSync(join(process.env.TEST_FOLDER!, `${name}-`));
}

/** A folder in which one file holds this text. */
export function folderWith(file: string, text: string): string {
  const folder = newFolder('folder');
  writeFileSync(join(folder, file), text);
  return folder;
}

export function fileWith(text: string): string {
  return join(folderWith('file', text), 'file');
}

/** A data folder whose server is gone but for its data. */
export function folderWithoutPassword(): string {
  const folder = newFolder('folder');
  mkdirSync(join(folder, 'postgres'));
  return folder;
}
