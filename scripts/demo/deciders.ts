import { on } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { CodeHost } from './code-host.ts';
import type { Action, Decider, Item } from './decisions.ts';
import type { OrdersServer } from './orders.ts';
import type { Screen } from './task-tree.ts';

/** Plays the owner: follows what is recommended, and leaves time to read. */
export class PlayedOwner implements Decider {
  private readonly paceMs: number;
  private readonly receiverLog: string;
  private readonly orders: OrdersServer | undefined;
  private readonly codeHost: CodeHost | undefined;

  constructor(paceMs: number, receiverLog: string, orders?: OrdersServer, codeHost?: CodeHost) {
    this.paceMs = paceMs;
    this.receiverLog = receiverLog;
    this.orders = orders;
    this.codeHost = codeHost;
  }

  async answer({ presentation }: Item, signal: AbortSignal): Promise<string> {
    await wait(this.paceMs, undefined, { signal });
    return presentation.recommendedOptionId ?? presentation.options?.[0]?.id ?? 'Do as you think best.';
  }

  async approves(_action: Action, signal: AbortSignal): Promise<boolean> {
    await wait(this.paceMs, undefined, { signal });
    return true;
  }

  async allows(_warnings: number, signal: AbortSignal): Promise<boolean> {
    await wait(this.paceMs, undefined, { signal });
    return true;
  }

  async becameOf({ id, kind, arguments: args }: Action): Promise<'succeeded' | 'not_executed'> {
    if (kind === 'git_push') return this.codeHost?.has(String(args.newOid)) ? 'succeeded' : 'not_executed';
    if (kind === 'tool_call') return this.orders?.has(String(args.text)) ? 'succeeded' : 'not_executed';
    return existsSync(this.receiverLog) && readFileSync(this.receiverLog, 'utf8').includes(id)
      ? 'succeeded'
      : 'not_executed';
  }
}

/** Asks whoever sits at the terminal. */
export class PersonAtTerminal implements Decider {
  private readonly screen: Screen;

  constructor(screen: Screen) {
    this.screen = screen;
  }

  answer({ presentation: { options = [], allowFreeText } }: Item, signal: AbortSignal): Promise<string> {
    const ids = options.map(({ id }) => id);
    return this.prompt('Your answer', signal, (text) => (allowFreeText ? text !== '' : ids.includes(text)), ids);
  }

  async approves({ reference }: Action, signal: AbortSignal): Promise<boolean> {
    const said = ['approve', 'reject'];
    return (
      (await this.prompt(`approve or reject ${reference}`, signal, (text) => said.includes(text), said)) === 'approve'
    );
  }

  async allows(warnings: number, signal: AbortSignal): Promise<boolean> {
    const said = ['complete', 'stop'];
    const question = `complete or stop, with ${warnings} warnings`;
    return (await this.prompt(question, signal, (text) => said.includes(text), said)) === 'complete';
  }

  async becameOf({ reference }: Action, signal: AbortSignal): Promise<'succeeded' | 'not_executed'> {
    const outcomes = ['succeeded', 'not_executed'] as const;
    const isOutcome = (text: string) => (outcomes as readonly string[]).includes(text);
    return (await this.prompt(`What became of ${reference}`, signal, isOutcome, outcomes)) as (typeof outcomes)[number];
  }

  /** Asks until what is typed is one of what may be said. */
  private async prompt(
    question: string,
    signal: AbortSignal,
    accepts: (text: string) => boolean,
    said: readonly string[],
  ): Promise<string> {
    this.screen.keep();
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    // On a terminal the line reader gets Ctrl-C.
    terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    // From the first prompt on, so that no line is lost that is typed early.
    const lines = on(terminal, 'line', { signal, close: ['close'] });
    terminal.setPrompt(`  ${question} (${said.join(', ') || 'any text'}): `);
    try {
      terminal.prompt();
      for await (const [line] of lines) {
        const text = String(line).trim();
        if (accepts(text)) return text;
        terminal.prompt();
      }
      throw new Error('The input ended before the decision.');
    } finally {
      terminal.close();
    }
  }
}
