import { canonicalText } from '../../../kernel/crypto/index.ts';
import type { AccessMode, SelectedTool, Selection, ToolAccess } from '../integration.state.ts';
import type { ListedTool, ToolDefinition } from '../provider-adapters.port.ts';

/** What decides which tools of a connector may be used: its mode, and the selection; null while nothing was ever chosen. */
export interface ToolChoice {
  readonly accessMode: AccessMode;
  readonly selection: Selection | null;
}

/** What is known of a listed tool where tools are chosen. */
export type ChoosableTool = Pick<ListedTool, 'name' | 'access' | 'definitionHash'>;

/**
 * What makes a new choice: a connection, which may ask for a mode and for tools, or an owner who sets the mode and may name
 * the tools. Whatever else happens leaves the names as they are.
 */
export interface Choosing {
  readonly by: 'connection' | 'owner';
  readonly accessMode?: AccessMode;
  readonly tools?: readonly string[];
}

/**
 * The one table of modes and tools: what is chosen behind a connection or an owner's choice, from the tools as they are
 * listed now, on which the selection of before was applied already (`applyInventory`).
 */
export function choose(
  before: ToolChoice,
  choosing: Choosing,
  listed: readonly ChoosableTool[],
  fixedReadOnly: boolean,
): ToolChoice {
  const { tools, by } = choosing;
  const present = fixedReadOnly ? 'read_only' : before.selection ? before.accessMode : 'ask_before_write';
  const accessMode = fixedReadOnly ? 'read_only' : (choosing.accessMode ?? present);
  const eligible = eligibleTools(listed, accessMode);
  if (tools) {
    const named = new Set(tools);
    const selected = eligible.filter(({ name }) => named.has(name));
    return { accessMode, selection: { explicit: true, tools: pinned(selected) } };
  }
  if (by === 'connection' && before.selection && accessMode === before.accessMode) {
    const { explicit, tools: selected } = before.selection;
    if (explicit || Object.keys(selected).length > 0) return { accessMode, selection: before.selection };
  }
  // What an owner has not looked at again stays out, whichever mode comes.
  const out = Object.entries(before.selection?.tools ?? {}).filter(([, { quarantined }]) => quarantined);
  return { accessMode, selection: { explicit: false, tools: { ...pinned(eligible), ...Object.fromEntries(out) } } };
}

/** Tools that the mode permits. */
export function eligibleTools<Tool extends { readonly access: ToolAccess }>(
  listed: readonly Tool[],
  accessMode: AccessMode,
): readonly Tool[] {
  return accessMode === 'read_only' ? listed.filter(({ access }) => access === 'read') : listed;
}

function pinned(tools: readonly ChoosableTool[]): Readonly<Record<string, SelectedTool>> {
  return Object.fromEntries(
    tools.map(({ name, definitionHash }) => [name, { definitionHash, quarantined: false }] as const),
  );
}

export interface AppliedInventory {
  readonly selection: Selection | null;
  /** Names of tools that went into quarantine now. */
  readonly quarantined: readonly string[];
}

/**
 * Takes over what a provider lists: a selected tool that is defined otherwise than when it was chosen goes into quarantine,
 * where it stays even if the old definition returns; one that is gone keeps its place, with what it was; nothing gets selected. `was` is the
 * listing before, which tells what changed.
 */
export function applyInventory(
  selection: Selection | null,
  listed: readonly ListedTool[],
  was: readonly ListedTool[],
): AppliedInventory {
  if (selection === null) return { selection, quarantined: [] };
  const present = new Map(listed.map((tool) => [tool.name, tool]));
  const quarantined: string[] = [];
  const tools = Object.entries(selection.tools).map(([name, selected]) => {
    const now = present.get(name);
    if (now === undefined) return [name, withoutListing(selected, name, was)] as const;
    const { gone: _, ...listedAgain } = selected;
    if (now.definitionHash === selected.definitionHash) return [name, listedAgain] as const;
    if (!selected.quarantined) quarantined.push(name);
    return [name, quarantine(listedAgain, now, was)] as const;
  });
  return { selection: { ...selection, tools: Object.fromEntries(tools) }, quarantined };
}

function withoutListing(selected: SelectedTool, toolName: string, was: readonly ListedTool[]): SelectedTool {
  const before = was.find(({ name }) => name === toolName);
  if (!before) return selected;
  const { title, access, risk } = before;
  return { ...selected, gone: { title, access, risk } };
}

function quarantine(selected: SelectedTool, now: ListedTool, was: readonly ListedTool[]): SelectedTool {
  const before = was.find(({ name }) => name === now.name);
  const changed = new Set([...(selected.changed ?? []), ...(before ? changedParts(before, now) : [])]);
  return { ...selected, quarantined: true, changed: DEFINITION_PARTS.filter((part) => changed.has(part)) };
}

/** The parts of a definition that its hash is of. */
export const DEFINITION_PARTS = [
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
] as const satisfies readonly (keyof ToolDefinition)[];
export type DefinitionPart = (typeof DEFINITION_PARTS)[number];

/** In which parts two definitions differ. */
export function changedParts(one: ToolDefinition, other: ToolDefinition): readonly DefinitionPart[] {
  return DEFINITION_PARTS.filter((part) => textOf(one[part]) !== textOf(other[part]));
}

function textOf(part: unknown): string {
  return part === undefined ? '' : canonicalText(part);
}
