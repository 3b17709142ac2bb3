import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a call intends, as far as the checker checks it. */
export type Intent =
  | { readonly op: 'task.create'; readonly title: string; readonly dependsOn: readonly string[] }
  | { readonly op: 'task.cancel' | 'task.retry'; readonly taskId: string }
  | { readonly op: 'run.start' | 'run.running' | 'run.heartbeat'; readonly runId: string }
  | { readonly op: 'run.logs'; readonly runId: string; readonly sequences: readonly number[] }
  | { readonly op: 'run.artifact'; readonly runId: string; readonly sha256: string }
  | { readonly op: 'run.outcome'; readonly runId: string }
  /** A write of the run's own checkpoint that made this version. */
  | { readonly op: 'run.checkpoint'; readonly runId: string; readonly version: number }
  /** `digest` is that of the body without its fence, by which the service recognises a repeated call. */
  | { readonly op: 'run.complete' | 'run.fail'; readonly runId: string; readonly digest: string }
  | { readonly op: 'other'; readonly name: string };

export interface Answer {
  /** When this copy of the call was sent, in milliseconds since the epoch; a call is sent again if no answer comes. */
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly status: number;
  /** Code of the error and of its first issue. */
  readonly code?: string | undefined;
  readonly issue?: string | undefined;
  /** What the answer tells about its subject. */
  readonly data?: { readonly id?: string | undefined; readonly status?: string | undefined } | undefined;
  /** The client never saw this answer; the service must keep to it all the same. */
  readonly unheard?: true | undefined;
}

/** A call of a client with every answer to it. Without an answer, it is unknown whether it was carried out. */
export interface Call {
  readonly id: string;
  readonly intent: Intent;
  readonly answers: readonly Answer[];
}

type Line = { readonly call: string } & ({ readonly intent: Intent } | { readonly answer: Answer });

/** Appends each act of a client before and after it, so that the history survives the client's death at any moment. */
export class History {
  private readonly file: string;
  private readonly client: string;
  private calls = 0;

  constructor(folder: string, client: string) {
    this.client = client;
    this.file = join(folder, `${client}.jsonl`);
  }

  begin(intent: Intent): string {
    this.calls += 1;
    const call = `${this.client}:${this.calls}`;
    this.write({ call, intent });
    return call;
  }

  answered(call: string, answer: Answer): void {
    this.write({ call, answer });
  }

  private write(line: Line): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

/** All calls of all clients. */
export function readHistory(folder: string): Call[] {
  const calls = new Map<string, { id: string; intent: Intent; answers: Answer[] }>();
  for (const name of readdirSync(folder)) {
    for (const text of readFileSync(join(folder, name), 'utf8').split('\n')) {
      if (!text.endsWith('}')) continue;
      const line = JSON.parse(text) as Line;
      if ('intent' in line) calls.set(line.call, { id: line.call, intent: line.intent, answers: [] });
      else calls.get(line.call)!.answers.push(line.answer);
    }
  }
  return [...calls.values()];
}
