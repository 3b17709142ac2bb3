import { readFileSync } from 'node:fs';

/** Processes that a process has started, and those that they have started. Linux only. */
export function descendantsOf(pid: number): readonly number[] {
  const children = contentOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.concat(children.flatMap(descendantsOf));
}

/** The command of a process; '' if it has ended. */
export function commandOf(pid: number): string {
  return contentOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
}

export function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
