import { escapeUnseen } from '../../../kernel/validation/index.ts';
import { branchOf, NO_OBJECT, type RefCommand } from '../protocol/index.ts';
import type { ChangedPath, ShownCommit } from '../verification/index.ts';

export const MOST_SHOWN_COMMITS = 20;
const MOST_SHOWN_PATHS = 200;
/** Of one commit's words, and of a path; what is longer is cut. */
const LONGEST_LINE = 300;
/** Each part has its own, so that none pushes another one out of the 32 KiB of a preview. */
const PATHS_BYTES = 18 * 1_024;
const COMMITS_BYTES = 10 * 1_024;

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

/**
 * As a person reads it: the move and the counts, then paths, the deleted ones first, then commits. An inbox shows only the
 * beginning. What does not fit is counted.
 */
export function pushPreview(work: PushedWork): string {
  const { repository, command, commits, commitCount, paths } = work;
  const { ref, oldOid, newOid } = command;
  const move = oldOid === NO_OBJECT ? `begins at ${newOid}` : `from ${oldOid}\n  to ${newOid}`;
  return [
    `${repository}: branch ${cutMiddle(onOneLine(branchOf(ref)))}`,
    `  ${move}`,
    `  ${counted(commitCount, 'commit')}, ${paths ? countsOf(paths) : 'changed paths not known'}`,
    '',
    ...pathLines(paths),
    '',
    ...commitLines(commits, commitCount),
  ].join('\n');
}

function commitLines(commits: readonly ShownCommit[], count: number): readonly string[] {
  if (count === 0) return ['No commits: the branch begins at one that is not in the push; the host has to have it.'];
  const lines = commits.map(({ oid, at, author, subject }) =>
    cutEnd(onOneLine(`  ${oid.slice(0, 12)} ${at} ${author}: ${subject}`)),
  );
  const shown = fitting(lines, COMMITS_BYTES);
  const left = count - shown.length;
  return ['Commits, the newest first:', ...shown, ...(left > 0 ? [`  and ${left} more`] : [])];
}

/** Deletions first, since nobody misses what is not shown. */
function pathLines(paths: PushedWork['paths']): readonly string[] {
  if (!paths)
    return ['Changed paths are not known: what the push builds upon could not be read at the host, or is too much.'];
  if (paths.length === 0) return ['No changed paths.'];
  const sorted = [...paths.filter(isDeleted), ...paths.filter((path) => !isDeleted(path))];
  const shown = fitting(sorted.slice(0, MOST_SHOWN_PATHS).map(pathLine), PATHS_BYTES);
  const left = sorted.slice(shown.length);
  return [
    'Changed paths, the deleted ones first:',
    ...shown,
    ...(left.length > 0 ? [`  and ${left.length} more, ${left.filter(isDeleted).length} of them deleted`] : []),
  ];
}

function pathLine({ change, path, kind }: ChangedPath): string {
  return cutMiddle(`  ${change} ${kind ? `(${kind}) ` : ''}${quoted(path)}`);
}

function countsOf(paths: readonly ChangedPath[]): string {
  return `${counted(paths.length, 'changed path')}, ${paths.filter(isDeleted).length} of them deleted`;
}

function isDeleted({ change }: ChangedPath): boolean {
  return change === 'D';
}

/**
 * The name of a path, in quotes and with escapes as git writes them where anything in it is not seen, is no UTF-8 or would
 * pass for a mark, an escape or a quote of ours: two paths never look alike.
 */
function quoted(path: Buffer): string {
  const text = path.toString('utf8');
  const isPlain = Buffer.from(text).equals(path) && onOneLine(text) === text && !/^[\s(]|["\\]|\s$/u.test(text);
  if (isPlain) return text;
  const characters = Array.from(path, (byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `"${characters.join('')}"`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** As many from the beginning as have room. */
function fitting(lines: readonly string[], maxBytes: number): readonly string[] {
  let bytes = 0;
  const beyond = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > maxBytes);
  return beyond === -1 ? lines : lines.slice(0, beyond);
}

/** On one line, whatever an agent has written into a name: nothing may pass for a line of its own. */
function onOneLine(text: string): string {
  return escapeUnseen(text.replaceAll('\r\n', '\n')).replaceAll('\n', '\\n');
}

function cutEnd(line: string): string {
  const characters = [...line];
  return characters.length > LONGEST_LINE ? `${characters.slice(0, LONGEST_LINE).join('')}…` : line;
}

/** Keeps the end, which tells files of one folder apart. */
function cutMiddle(line: string): string {
  const characters = [...line];
  if (characters.length <= LONGEST_LINE) return line;
  const half = LONGEST_LINE / 2;
  return `${characters.slice(0, half).join('')}…${characters.slice(-half).join('')}`;
}
