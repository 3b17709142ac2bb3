import type {
  KnowledgeRecord,
  OpenItem,
  ProposeAction,
  PublishKnowledge,
  StagedOutcome,
  Task,
  WholeRecord,
  WorkManifest,
} from '../api.ts';
import type { Refusal } from '../knowledge.ts';

/** A file that an agent delivers. Other tasks ask for it by its `kind`. */
export interface Delivery {
  readonly kind: string;
  readonly name: string;
  readonly mediaType: 'text/markdown' | 'application/json';
  readonly text: string;
}

/** A question to a person. They decide by this text alone, so it says what hangs on the answer. */
export interface Question extends Pick<OpenItem, 'purpose' | 'title' | 'body' | 'presentation'> {
  /** The same for every run of the task, so that a run after a crash finds its question instead of asking again. */
  readonly key: string;
}

/** What an agent found out, for others to know. */
export type Finding = Omit<PublishKnowledge, 'evidence'>;

/** What is to be done outside once a person approves it. */
export interface Proposal extends Pick<ProposeAction, 'toolName' | 'arguments' | 'title' | 'summary'> {
  /** As of a question: the same action is proposed once, however often its task is run. */
  readonly key: string;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** What became of a write. */
export type Acted =
  | { readonly kind: 'done'; readonly result: JsonObject }
  /** A person decides, or it is on its way: the agent ends with `action_wait`, and makes the same call in its next run. */
  | { readonly kind: 'waits'; readonly actionId: string }
  | { readonly kind: 'refused'; readonly code: string };

/** A service that the organization is connected to. */
export interface Connector {
  readonly key: string;
  /** Whether this run may call the tool. */
  offers(tool: string): boolean;
  /** Calls a tool that reads; undefined where the provider had no answer. */
  read(tool: string, args: JsonObject): Promise<JsonObject | undefined>;
  /** Calls a tool that writes, at most once in this task, however often the agent gets here. */
  act(tool: string, args: JsonObject): Promise<Acted>;
}

/** What is to stand on a branch of its own, which begins at the default branch. */
export interface BranchChange {
  readonly branch: string;
  readonly message: string;
  /** By path. */
  readonly files: Readonly<Record<string, string>>;
}

/** What became of a push. */
export type Pushed =
  | { readonly kind: 'done'; readonly commit: string }
  /** A person decides, or it is on its way: the agent ends with `action_wait`, and pushes the same in its next run. */
  | { readonly kind: 'waits'; readonly actionId: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** A repository that the organization's owner named for this department. */
export interface Repository {
  readonly name: string;
  /** Pushes a branch with git, through the service; the same again, after a crash too, meets the same action. */
  push(change: BranchChange): Promise<Pushed>;
}

/** What the runtime gives an agent for one run. Every method may throw when the run has ended. */
export interface Work {
  readonly manifest: WorkManifest;
  /** Paths of the task's inputs, relative to the workspace. */
  readonly inputs: readonly string[];
  /** Files of the workspace about the company, which discovery looks into; none unless the runtime was told of a folder. */
  readonly companyFiles: readonly string[];
  /** The webhook that the task names for calls; undefined if it names none. */
  readonly webhookId: string | undefined;
  read(path: string): Promise<string>;
  /** Paths of the files below a folder, sorted. */
  list(folder: string): Promise<string[]>;
  /**
   * Does a step once per task, not once per run: stores its result with a checkpoint, so that a run after a crash gets
   * the result back instead of doing the step again.
   */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T>;
  /** The file of this kind that a prerequisite or a child delivered; undefined if there is none. */
  delivered(kind: string): Promise<string | undefined>;
  /** The newest records of what the organization knows; of one origin, where it is given. */
  records(origin?: 'execution' | 'material'): Promise<readonly KnowledgeRecord[]>;
  /** The records that hold words of a question, best first. */
  search(question: string): Promise<readonly KnowledgeRecord[]>;
  /** A record with its evidence, such as one that `manifest.context` names; undefined where it was revoked meanwhile. */
  record(knowledgeId: string): Promise<WholeRecord | undefined>;
  /** Lets the organization know what this file shows. A refusal of what it says is no failure of the run. */
  publish(finding: Finding, shownBy: Delivery): Promise<WholeRecord | Refusal>;
  /** A task by identifier or id; undefined if there is none that this profile may see. */
  task(ref: string): Promise<Task | undefined>;
  /** Stages an outcome that only the agent may decide, such as a plan. */
  stage(outcome: StagedOutcome): Promise<void>;
  /** Puts a question before a person; returns its id. The agent ends with `handoff` and reads the answer in its next run. */
  ask(question: Question): Promise<string>;
  /** The connector of a purpose that this run may use; undefined if there is none. */
  connector(purpose: string): Connector | undefined;
  /** The repository that this run may push to; undefined if there is none. */
  repository(): Repository | undefined;
  /** Proposes a call of a webhook; returns its id. The agent ends with `action_wait` and reads the decision in its next run. */
  propose(proposal: Proposal): Promise<string>;
}

export type Finished =
  | { readonly kind: 'completed'; readonly summary: string; readonly deliveries: readonly Delivery[] }
  /** Tells that the staged outcome is the result. */
  | { readonly kind: 'planned' | 'learning'; readonly summary: string }
  /** Gives the task back until a person has answered. */
  | { readonly kind: 'handoff'; readonly summary: string; readonly inboxItemId: string }
  /** Gives the task back until these actions have ended, whatever became of them. */
  | { readonly kind: 'action_wait'; readonly summary: string; readonly actionIds: string[] };

export type Agent = (work: Work) => Promise<Finished>;

export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
