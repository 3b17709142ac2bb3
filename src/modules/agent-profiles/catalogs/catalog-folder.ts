import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { failedCheck, FIELD_CHECK } from '../../../kernel/validation/index.ts';
import { ConfigError } from '../../../config/index.ts';
import type { CatalogEdition } from '../catalog.ts';
import { CatalogDto } from '../catalog.dto.ts';
import { ofBuiltParts } from './instruction-parts.ts';

/**
 * Reads `catalog.json` and `instructions/<key>.md` of a folder; `instructions/common.md`, where it exists, goes in front
 * of each profile's own. Both are told only what this build has (`instruction-parts.ts`). Undefined for a folder without a catalog; throws `ConfigError` for one that is not valid.
 */
export function readCatalogFolder(folder: string): CatalogEdition | undefined {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError('CATALOG_DIR', `there is no folder ${folder}`);
  const file = join(folder, 'catalog.json');
  if (!existsSync(file)) return undefined;
  const catalog = parse(file);
  const common = readInstructions(folder, 'common');
  const instructions = Object.fromEntries(
    catalog.profiles.map(({ key }) => {
      const own = readInstructions(folder, key);
      if (own === undefined) throw new ConfigError('CATALOG_DIR', `instructions/${key}.md is missing`);
      return [key, [common, own].filter((part) => part !== undefined).join('\n')];
    }),
  );
  return { catalog, instructions };
}

function parse(file: string): CatalogDto {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new ConfigError('CATALOG_DIR', `${file} is not valid JSON`);
  }
  const catalog = plainToInstance(CatalogDto, json);
  const [error] = validateSync(catalog, { whitelist: true, forbidNonWhitelisted: true });
  if (error) throw new ConfigError('CATALOG_DIR', `${file}: ${describe(error)}`);
  const keys = catalog.profiles.map(({ key }) => key);
  if (new Set(keys).size !== keys.length) throw new ConfigError('CATALOG_DIR', `${file}: two profiles have one key`);
  // Plain again: the digest is over the values as they stand in the file.
  return json as CatalogDto;
}

function describe({ property, constraints, children }: ValidationError): string {
  const [child] = children ?? [];
  return child ? `${property}.${describe(child)}` : `${property} ${whatIsWrong(constraints)}`;
}

/** Those of one file, without what this build does not have; undefined where there is no file. */
function readInstructions(folder: string, name: string): string | undefined {
  const file = join(folder, 'instructions', `${name}.md`);
  if (!existsSync(file)) return undefined;
  try {
    return ofBuiltParts(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError('CATALOG_DIR', `instructions/${name}.md: ${(error as Error).message}`);
  }
}

function whatIsWrong(constraints: ValidationError['constraints'] = {}): string {
  const own = constraints[FIELD_CHECK];
  return own === undefined ? (Object.values(constraints)[0] ?? 'is not valid') : failedCheck('', own).message;
}
