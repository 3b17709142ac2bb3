import type { Selection } from '../integration.state.ts';
import type { ListedTool } from '../provider-adapters.port.ts';
import type { CatalogEntry } from './catalog-entry.ts';

export interface MovedSelection {
  readonly selection: Selection | null;
  /** Names of tools that went into quarantine now. */
  readonly quarantined: readonly string[];
}

/**
 * The selection behind a new version of the entry whose tools are fixed: pins follow our own definitions, a tool whose access
 * or risk rose since goes into quarantine, and nothing gets selected.
 */
export function movedSelection(
  selection: Selection | null,
  entryVersion: number,
  { raisedTools = {} }: Pick<CatalogEntry, 'raisedTools'>,
  tools: readonly Pick<ListedTool, 'name' | 'definitionHash'>[],
): MovedSelection {
  if (!selection) return { selection, quarantined: [] };
  const hashes = new Map(tools.map(({ name, definitionHash }) => [name, definitionHash]));
  const quarantined: string[] = [];
  const moved = Object.entries(selection.tools).map(([name, selected]) => {
    const definitionHash = hashes.get(name) ?? selected.definitionHash;
    const isRaised = Object.hasOwn(raisedTools, name) && raisedTools[name]! > entryVersion;
    if (isRaised && !selected.quarantined) quarantined.push(name);
    return [name, { definitionHash, quarantined: selected.quarantined || isRaised }] as const;
  });
  return { selection: { ...selection, tools: Object.fromEntries(moved) }, quarantined };
}
