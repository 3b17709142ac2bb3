import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Webhook {
  readonly id: string;
  readonly port: number;
  /** Shown once by the service; the receiver checks signatures with it. */
  readonly secret: string;
}

export interface ConnectedOrders {
  readonly port: number;
  readonly token: string;
  /** Whether the organization's connector was made, with its credential. */
  readonly isConnected: boolean;
}

export interface ConnectedCodeHost {
  readonly port: number;
  readonly token: string;
}

/** What the demo must remember after it was killed. */
interface Known {
  /** Keys of the calls that create entities, so that a repeat finds what the first call created. */
  readonly organizationKey: string;
  readonly objectiveKey: string;
  /** Counts objectives, or organizations that were signed up; a finished one is followed by the next. */
  readonly round: number;
  /** The folder that an organization was signed up with. */
  readonly onboarded?: string;
  readonly organizationId?: string;
  readonly taskId?: string;
  /** The webhook that the operator proposes to call, and where its receiver listens. */
  readonly webhook?: Webhook;
  /** The MCP server of the orders. */
  readonly orders?: ConnectedOrders;
  /** The code host that the organization is connected to. */
  readonly codeHost?: ConnectedCodeHost;
  readonly finished?: boolean;
  /** Where to follow it while it runs. */
  readonly baseUrl?: string;
  readonly servicePid?: number;
  readonly runtimePid?: number;
}

/** A file in the demo's folder, replaced completely at each change. */
export class Memory {
  known: Known;
  private readonly file: string;

  /** Of the demo's own company, or of the one that is signed up with the files of a folder. */
  constructor(folder: string, onboarded?: string) {
    mkdirSync(folder, { recursive: true });
    this.file = join(folder, onboarded === undefined ? 'demo.json' : 'onboarded.json');
    const found = read(this.file);
    this.known = found ?? { organizationKey: randomUUID(), objectiveKey: randomUUID(), round: 1 };
    if (onboarded !== undefined) {
      if (found && (found.finished || found.onboarded !== onboarded))
        this.known = { organizationKey: randomUUID(), objectiveKey: randomUUID(), round: found.round + 1 };
      this.known = { ...this.known, onboarded };
    } else if (this.known.finished) {
      const { organizationKey, organizationId, webhook, orders, codeHost, round } = this.known;
      const next = { organizationKey, objectiveKey: randomUUID(), round: round + 1 };
      this.known = {
        ...next,
        ...(organizationId ? { organizationId } : {}),
        ...(webhook ? { webhook } : {}),
        ...(orders ? { orders } : {}),
        ...(codeHost ? { codeHost } : {}),
      };
    }
    this.learn({});
  }

  learn(news: Partial<Known>): void {
    this.known = { ...this.known, ...news };
    // Readable by nobody else, because of the secret.
    writeFileSync(`${this.file}.next`, `${JSON.stringify(this.known, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${this.file}.next`, this.file);
  }
}

function read(file: string): Known | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Known;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
