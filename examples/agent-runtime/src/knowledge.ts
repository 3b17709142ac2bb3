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
  list(origin?: 'execution' | 'material'): Promise<KnowledgeRecord[]> {
    const query = origin ? { origin } : {};
    const options = { ...this.access(), query };
    return this.api.call('get', '/internal/agent/organizations/{organizationId}/knowledge', options);
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

const REFUSALS: ReadonlySet<string> = new Set([
  'unsafe_text',
  'revoked',
  'key_taken',
  'audience_widened',
  'too_many_records',
]);
