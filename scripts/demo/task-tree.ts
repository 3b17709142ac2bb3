import { printable } from '../../examples/chat-client/printable.ts';

export interface TreeTask {
  readonly id: string;
  readonly parentId: string | null;
  readonly identifier: string;
  readonly title: string;
  readonly status: string;
  /** Key of the profile that owns it. */
  readonly owner: string;
  /** Ids of the tasks that it waits for, or kinds of other blockers. */
  readonly waitsFor: readonly string[];
  /** The last log message of its run. */
  readonly doing: string;
}

const MARKS: Readonly<Record<string, string>> = {
  pending: '·',
  running: '▸',
  blocked: '…',
  completed: '✓',
  failed: '✗',
  cancelled: '✗',
};

/** The tree as lines of text: parents before children, in the order in which they were created. */
export function drawTree(tasks: readonly TreeTask[]): string[] {
  const names = new Map(tasks.map(({ id, identifier }) => [id, identifier]));
  const rows: { readonly left: string; readonly task: TreeTask }[] = [];
  const visit = (task: TreeTask, lead: string, branch: string, below: string): void => {
    rows.push({ left: `${lead}${branch}${task.identifier}  ${task.title}`, task });
    const children = tasks.filter(({ parentId }) => parentId === task.id);
    children.forEach((child, index) => {
      const last = index === children.length - 1;
      visit(child, lead + below, last ? '└─ ' : '├─ ', last ? '   ' : '│  ');
    });
  };
  for (const task of tasks) if (task.parentId === null || !names.has(task.parentId)) visit(task, '', '', '');
  const width = Math.max(0, ...rows.map(({ left }) => left.length));
  return rows.map(({ left, task }) => {
    const waits = task.waitsFor.map((each) => names.get(each) ?? each).join(', ');
    const remark =
      task.status === 'blocked' && waits ? `waits for ${waits}` : task.status === 'running' ? task.doing : '';
    const cells = [
      left.padEnd(width),
      (MARKS[task.status] ?? '?') + ' ' + task.status.padEnd(9),
      task.owner.padEnd(11),
      remark,
    ];
    return cells.join('  ').trimEnd();
  });
}

/**
 * Shows lines that change: on a terminal redraws them, elsewhere appends the changed ones. What agents wrote in them cannot
 * command the terminal.
 */
export class Screen {
  private shown: readonly string[] = [];
  private readonly out: NodeJS.WriteStream;

  constructor(out: NodeJS.WriteStream) {
    this.out = out;
  }

  draw(given: readonly string[]): void {
    const lines = given.map(printable);
    if (this.out.isTTY) {
      const fitting = lines.map((line) => line.slice(0, this.out.columns - 1));
      if (fitting.join('\n') === this.shown.join('\n')) return;
      const up = this.shown.length > 0 ? `\u001B[${this.shown.length}A\u001B[J` : '';
      this.out.write(`${up}${fitting.join('\n')}\n`);
      this.shown = fitting;
      return;
    }
    const changed = lines.filter((line) => !this.shown.includes(line));
    if (changed.length > 0) this.out.write(`${changed.join('\n')}\n`);
    this.shown = lines;
  }

  /** Leaves the lines where they are, because somebody writes below them. */
  keep(): void {
    if (this.out.isTTY) this.shown = [];
  }

  /** Prints a line that stays, above the changing ones. */
  say(line: string): void {
    if (this.out.isTTY && this.shown.length > 0) this.out.write(`\u001B[${this.shown.length}A\u001B[J`);
    this.out.write(`${printable(line)}\n`);
    if (this.out.isTTY) {
      const again = this.shown;
      this.shown = [];
      if (again.length > 0) this.draw(again);
    }
  }
}
