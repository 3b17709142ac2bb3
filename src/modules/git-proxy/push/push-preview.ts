import { branchOf, NO_OBJECT, type RefCommand } from '../protocol/index.ts';
import type { ChangedPath, ShownCommit } from '../verification/index.ts';

export const MOST_SHOWN_COMMITS = 20;
const MOST_SHOWN_PATHS = 200;
/** Of one commit's words, and of a path; what is longer is cut. */
const LONGEST_LINE = 300;

/** What is known of a push for the person who approves it. */
export interface PushedWork {
  readonly repository: string;
  readonly command: RefCommand;
  /** The newest ones. */
  readonly commits: readonly ShownCommit[];
  readonly commitCount: number;
  /** Null where the host did not show in time what was there before. */
  readonly paths: readonly ChangedPath[] | null;
}

/** As a person reads it; what does not fit is counted. */
export function pushPreview({ repository, command, commits, commitCount, paths }: PushedWork): string {
  const { ref, oldOid, newOid } = command;
  const move = oldOid === NO_OBJECT ? `begins at ${newOid}` : `from ${oldOid}\n  to ${newOid}`;
  return [
    `${repository}: branch ${branchOf(ref)}`,
    `  ${move}`,
    '',
    ...commitLines(commits, commitCount),
    '',
    ...pathLines(paths),
  ].join('\n');
}

function commitLines(commits: readonly ShownCommit[], count: number): readonly string[] {
  if (count === 0) return ['No commits: the branch begins at one that the host has.'];
  const left = count - commits.length;
  return [
    `${counted(count, 'commit')}, the newest first:`,
    ...commits.map(({ oid, at, author, subject }) => cut(`  ${oid.slice(0, 12)} ${at} ${author}: ${subject}`)),
    ...(left > 0 ? [`  and ${left} more`] : []),
  ];
}

/** Deletions first, since nobody misses what is not shown. */
function pathLines(paths: PushedWork['paths']): readonly string[] {
  if (!paths)
    return ['Changed paths are not known: the host did not show what was there before, or they are too many.'];
  const deleted = paths.filter(({ change }) => change === 'D');
  const shown = [...deleted, ...paths.filter(({ change }) => change !== 'D')].slice(0, MOST_SHOWN_PATHS);
  const left = paths.length - shown.length;
  return [
    `${counted(paths.length, 'changed path')}, ${deleted.length} of them deleted:`,
    ...shown.map(({ change, path }) => cut(`  ${change} ${path}`)),
    ...(left > 0 ? [`  and ${left} more`] : []),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** On one line, whatever an agent has written into a name: nothing may pass for a line of its own. */
function cut(line: string): string {
  const escaped = line.replaceAll(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g, '\\n');
  const characters = [...escaped];
  return characters.length > LONGEST_LINE ? `${characters.slice(0, LONGEST_LINE).join('')}…` : escaped;
}
