import { type Api, type KnowledgeRecord, type PublishKnowledge, Refused, type WholeRecord } from './api.ts';

/** What calls with the capability of an execution send. */
interface Access {
  readonly path: { readonly organizationId: string };
  readonly token: string;
  readonly signal: AbortSignal;
}

/** Why a record was refused: the first issue, such as `revoked`, and words for people. */
export interface Refusal {
  readonly issue: string | undefined;
  readonly refusal: string;
}

/** What the organization knows, as far as an execution may read it, and what the execution adds to it. */
export class Knowledge {
  private readonly api: Api;
  private readonly access: () => Access;

  constructor(api: Api, access: () => Access) {
    this.api = api;
    this.access = access;
  }

  /** The newest records that hold; of one origin, where it is given. */
  async list(origin?: 'execution' | 'material'): Promise<KnowledgeRecord[]> {
    const query = origin ? { origin } : {};
    const options = { ...this.access(), query };
    return (await this.api.call('get', '/internal/agent/organizations/{organizationId}/knowledge', options)).items;
  }

  /**
   * The records that hold words of a question, best first. A record is found that holds at least half of what is sought, so
   * only the words behind the last "about" count, and only long ones.
   */
  async search(question: string): Promise<KnowledgeRecord[]> {
    const subject = question.split(/\babout\b/i).at(-1)!;
    const search = (subject.match(SOUGHT) ?? []).slice(0, MOST_WORDS).join(' ');
    if (search === '') return [];
    const options = { ...this.access(), query: { search } };
    return (await this.api.call('get', '/internal/agent/organizations/{organizationId}/knowledge', options)).items;
  }

  /** A record with its evidence; undefined where it was revoked meanwhile. */
  async read(knowledgeId: string): Promise<WholeRecord | undefined> {
    const { path, ...access } = this.access();
    try {
      return await this.api.call('get', '/internal/agent/organizations/{organizationId}/knowledge/{knowledgeId}', {
        ...access,
        path: { ...path, knowledgeId },
      });
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Publishes a record, or gets the one that says the same. What the service refuses for what it says (text that looks like
   * a credential, a finding that an owner revoked, a key that others hold) ends no run.
   */
  async publish(body: PublishKnowledge): Promise<WholeRecord | Refusal> {
    try {
      return await this.api.call('post', '/internal/agent/organizations/{organizationId}/knowledge', {
        ...this.access(),
        body,
      });
    } catch (error) {
      if (!(error instanceof Refused) || !REFUSALS.has(error.issue ?? '')) throw error;
      return { issue: error.issue, refusal: error.reason };
    }
  }
}

/** Words of five letters, or of scripts that put no spaces between them. */
const SOUGHT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|[\p{L}\p{N}]{5,}/gu;
const MOST_WORDS = 6;

const REFUSALS: ReadonlySet<string> = new Set([
  'unsafe_text',
  'revoked',
  'key_taken',
  'audience_widened',
  'too_many_records',
]);
