import {
  type Api,
  type ChatManifest,
  type Learned,
  leaseIsOver,
  Refused,
  type Task,
  type Turn,
  type TurnState,
} from '../api.ts';
import type { AgentFailure } from '../failure.ts';
import { type Beat, BEAT_WAIT_SECONDS, LAST_WORD_MS, Lease, noTokens } from '../lease.ts';
import type { Known, NewTask, Organization } from './answers.ts';

/** An answer here has one part. Use several for content that is shown separately, such as a text and its sources. */
const PART = 'p1';
/** Records that an answer cites. */
const CITED = 3;

/**
 * One attempt at an answer under its lease: the calls that report to the backend, and those that read for the answer.
 */
export class TurnLease extends Lease implements Organization {
  /** Number of calls that used the organization's data. */
  calls = 0;
  private readonly claimed: Turn;
  private context: ChatManifest['context'] = [];
  /** Number of stored characters: code points, not the code units that `length` counts. */
  private written = 0;

  constructor(api: Api, claimed: Turn) {
    super(api, claimed);
    this.claimed = claimed;
    this.keep(claimed.executionToken);
  }

  async running(harness: string, model: string): Promise<void> {
    const body = { ...this.fence, harness, model };
    this.heed(await this.api.call('post', '/internal/chat-turns/{turnId}/running', { ...this.turn, body }));
  }

  async manifest(): Promise<ChatManifest> {
    const manifest = this.api.call('get', '/internal/agent/organizations/{organizationId}/execution', this.agent);
    const read = (await manifest) as ChatManifest;
    this.context = read.context;
    return read;
  }

  async append(text: string): Promise<void> {
    const body = { ...this.fence, partId: PART, offset: this.written, text };
    const state = await this.api.call('post', '/internal/chat-turns/{turnId}/append', { ...this.turn, body });
    this.written = state.length;
    this.heed(state);
  }

  async complete(title: string | undefined): Promise<TurnState> {
    const body = { ...this.fence, usage: this.usage, ...(title ? { title } : {}) };
    return this.api.call('post', '/internal/chat-turns/{turnId}/complete', { ...this.turn, body });
  }

  // Final calls do not use the signal `over`, because they are sent after it.

  async fail({ code, message, retryable }: AgentFailure): Promise<TurnState> {
    const error = { code, message: message.slice(0, 2_000), retryable };
    const body = { ...this.fence, usage: this.usage, error };
    return this.api.call('post', '/internal/chat-turns/{turnId}/fail', { ...this.lastWord(), body });
  }

  async cancelled(): Promise<TurnState> {
    const body = { ...this.fence, usage: this.usage };
    return this.api.call('post', '/internal/chat-turns/{turnId}/cancelled', { ...this.lastWord(), body });
  }

  override task(taskRef: string): Promise<Task | undefined> {
    this.calls += 1;
    return super.task(taskRef);
  }

  /** What is known about the question, with what the cited files say themselves: a turn may read any run's. */
  async known(question: string): Promise<Known[]> {
    const found: Known[] = [];
    for (const { knowledgeId, title, text } of await this.about(question)) {
      this.calls += 1;
      const record = await this.knowledge.read(knowledgeId);
      const [evidence] = record?.metadata.evidence ?? [];
      if (!evidence) continue;
      const { runId, path, sha256, sourceId } = evidence;
      const at = runId ? `/runs/${runId}/artifacts/${sha256}` : `/onboarding/sources/${sourceId}/content`;
      found.push({ title, text: (runId && (await this.artifact(runId, sha256, path))) ?? text, file: path, at });
    }
    return found;
  }

  lessons(): Promise<Learned[]> {
    this.calls += 1;
    return this.api.call('get', '/organizations/{organizationId}/learning', this.agent);
  }

  blocked(): Promise<Task[]> {
    return this.tasks({ status: ['blocked'] });
  }

  /**
   * Creates nothing twice when a turn is restarted, because the task carries the turn's id. While that task has not
   * ended, the service answers a second creation with it; this method finds one that has ended.
   */
  async create({ title, objective, ownerAgentProfileKey }: NewTask): Promise<Task | { readonly refusal: string }> {
    const dedupeKey = `chat-turn:${this.claimed.turnId}`;
    const known = await this.tasks({ sourceChatId: this.claimed.chatId, search: title });
    const mine = known.find((task) => task.dedupeKey === dedupeKey);
    if (mine) return mine;
    this.calls += 1;
    const body = { title, spec: { objective }, dedupeKey, ...(ownerAgentProfileKey ? { ownerAgentProfileKey } : {}) };
    try {
      return await this.api.call('post', '/internal/agent/organizations/{organizationId}/tasks', {
        ...this.agent,
        body,
      });
    } catch (error) {
      if (!(error instanceof Refused) || error.status === 401 || leaseIsOver(error)) throw error;
      return { refusal: error.reason };
    }
  }

  protected override beat(): Promise<Beat> {
    const body = { ...this.fence, waitSeconds: BEAT_WAIT_SECONDS };
    return this.api.call('post', '/internal/chat-turns/{turnId}/heartbeat', { ...this.turn, body });
  }

  private tasks(query: { status?: ['blocked']; sourceChatId?: string; search?: string }): Promise<Task[]> {
    this.calls += 1;
    return this.api.call('get', '/internal/agent/organizations/{organizationId}/tasks', { ...this.agent, query });
  }

  /** What the manifest brings; where that is nothing, because few words of the question are the records', what a search finds. */
  private async about(question: string) {
    if (this.context.length > 0) return this.context.slice(0, CITED);
    this.calls += 1;
    const found = await this.knowledge.search(question);
    return found.slice(0, CITED).map(({ id, metadata: { title, finding }, excerpt }) => {
      return { knowledgeId: id, title, text: excerpt ?? finding };
    });
  }

  /** The text of an artifact; undefined where it is none, or is purged. */
  private async artifact(runId: string, sha256: string, path: string): Promise<string | undefined> {
    if (!/\.(md|txt|csv|json)$/.test(path)) return undefined;
    this.calls += 1;
    try {
      return await this.read(runId, sha256);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  }

  private get usage() {
    return noTokens(this.calls);
  }

  private get turn() {
    return { path: { turnId: this.claimed.turnId }, signal: this.over };
  }

  private lastWord() {
    return { path: { turnId: this.claimed.turnId }, signal: AbortSignal.timeout(LAST_WORD_MS) };
  }
}
