import { posix } from 'node:path';
import type { Archive } from './archive.ts';
import { walkXml } from './xml.ts';

interface Relation {
  readonly id: string;
  /** The last word of its type. */
  readonly kind: string;
  /** The name of the part that it leads to. */
  readonly part: string;
}

/** Where a part of an Office Open XML package leads to inside of the package; '' for the package itself. */
export async function relationsOf(archive: Archive, part: string): Promise<readonly Relation[]> {
  const relations: Relation[] = [];
  const folder = posix.dirname(part);
  await walkXml(archive, posix.join(folder, '_rels', `${posix.basename(part)}.rels`), {
    open(name, { Id: id, Type: type, Target: target, TargetMode: mode }) {
      if (name !== 'Relationship' || id === undefined || target === undefined || mode === 'External') return;
      const inPackage = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
      relations.push({ id, kind: (type ?? '').split('/').at(-1)!, part: inPackage });
    },
  });
  return relations;
}

/** The part with which an Office Open XML package begins. */
export async function mainPartOf(archive: Archive): Promise<string | undefined> {
  if (!archive.has('[Content_Types].xml')) return undefined;
  const relations = await relationsOf(archive, '');
  return relations.find(({ kind }) => kind === 'officeDocument')?.part;
}
