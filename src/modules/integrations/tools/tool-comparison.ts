import type { SelectedTool, Selection, ToolAccess } from '../integration.state.ts';
import type { ListedTool } from '../provider-adapters.port.ts';
import type { Risk } from '../../organizations/index.ts';
import { changedParts } from './tool-selection.policy.ts';

export const TOOL_STATUSES = ['same', 'new', 'changed', 'missing'] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];

/** A tool as an owner sees it behind a live listing. */
export interface ComparedTool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly access: ToolAccess;
  readonly risk: Risk;
  readonly selected: boolean;
  readonly quarantined: boolean;
  readonly definitionHash: string;
  readonly status: ToolStatus;
  /** In which parts it changed, as far as that was seen. */
  readonly changed: readonly string[];
}

/**
 * Compares a listing with what was known: a selected tool with the definition that was chosen, any other with the listing
 * before. `selection` is that behind the listing; what is gone is told as it was.
 */
export function compareTools(
  listed: readonly ListedTool[],
  was: readonly ListedTool[],
  selection: Selection | null,
): readonly ComparedTool[] {
  const before = new Map(was.map((tool) => [tool.name, tool]));
  const present = new Set(listed.map(({ name }) => name));
  const gone = was.filter(({ name }) => !present.has(name));
  return [
    ...listed.map((tool) => compared(tool, before.get(tool.name), selection)),
    ...gone.map((tool) => compared(tool, 'missing', selection)),
  ].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function compared(now: ListedTool, was: ListedTool | 'missing' | undefined, selection: Selection | null): ComparedTool {
  const { name, title, description, access, risk, definitionHash } = now;
  const selected = selection && Object.hasOwn(selection.tools, name) ? selection.tools[name] : undefined;
  return {
    name,
    title,
    description,
    access,
    risk,
    selected: selected !== undefined,
    quarantined: selected?.quarantined ?? false,
    definitionHash,
    ...(was === 'missing' ? { status: was, changed: [] } : standing(now, was, selected)),
  };
}

function standing(
  now: ListedTool,
  was: ListedTool | undefined,
  selected: SelectedTool | undefined,
): Pick<ComparedTool, 'status' | 'changed'> {
  const known = selected?.definitionHash ?? was?.definitionHash;
  if (known === undefined) return { status: 'new', changed: [] };
  if (known === now.definitionHash) return { status: 'same', changed: [] };
  return { status: 'changed', changed: selected?.changed ?? (was ? changedParts(was, now) : []) };
}
