import { LRUCache } from 'lru-cache';

const COMMENT = /--[^\n]*/g;
/** A statement that changes rows; `for update`, `do update set` and `for no key update` name no table behind the verb. */
const CHANGE =
  /\b(insert into|update|delete from|merge into)\s+(?:only\s+)?"?(?!set\b|of\b|skip\b|nowait\b)([a-z_][a-z0-9_.]*)"?/gi;
const LOCK = /\b(?:for(?:\s+no\s+key)?|do)\s+update\b/gi;
const SOURCE = /\bfrom\s+(?:only\s+)?"?(?!(?:unnest|lateral|generate_series)\b)([a-z_][a-z0-9_.]*)"?(?!\s*\()/gi;
const COMMON_TABLE =
  /(?:\bwith\s+(?:recursive\s+)?|\)\s*,\s*)"?([a-z_][a-z0-9_]*)"?\s*(?:\([^()]*\)\s*)?as\s+(?:(?:not\s+)?materialized\s+)?\(/gi;

/** Entities that are written together make texts by their number; a few forms are used all the time. */
const names = new LRUCache<string, string>({ max: 2_000 });

/**
 * What a statement does, in a few words: the tables that it changes, else the first one that it reads; '' for one that
 * only sets up or ends a transaction. Good enough to recognise it, and never with a value: it is made of its text.
 */
export function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = nameOf(text);
    names.set(text, name);
  }
  return name;
}

function nameOf(text: string): string {
  const bare = text.replaceAll(COMMENT, '').replaceAll(LOCK, '');
  const changes = [...bare.matchAll(CHANGE)].map(([, verb, table]) => `${verb!.toLowerCase()} ${table!}`);
  if (changes.length > 0) return [...new Set(changes)].join(', ');
  const named = new Set([...bare.matchAll(COMMON_TABLE)].map(([, name]) => name));
  const table = [...bare.matchAll(SOURCE)].map(([, name]) => name!).find((name) => !named.has(name));
  return table === undefined ? '' : `select ${table}`;
}
