import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Tx } from '../../../src/kernel/database/index.ts';
// Without what needs a build, so that a process of its own can load this file as it stands.
import { sql, type Statement } from '../../../src/kernel/sql/index.ts';
import type {
  ActionExecutor,
  ActionStanding,
  ActionTarget,
  ActionToSend,
  DescribedAction,
  Look,
  Prepared,
  Sent,
} from '../../../src/modules/actions/action-executors.port.ts';

/** The connector whose actions are posted; the tool is the id of a chat whose title the action is bound to. */
export const POSTING = 'posting';

/**
 * An executor that really sends: one request on a connection of its own. It is bound to the title of a chat, which an owner
 * changes by a call. Without `prepare` taking and releasing are one; with it they are two.
 */
export class PostingExecutor implements ActionExecutor<string> {
  readonly kind = 'tool_call';
  readonly connectorKey = POSTING;
  /** What `settle` finds, where it is asked. */
  settled: Exclude<Sent, { outcome: 'ambiguous' }> | undefined;
  looks = 0;
  /** Whether the newest look was the last one. */
  lookedLast = false;
  prepare?: (action: ActionToSend, signal: AbortSignal) => Promise<Prepared<string>>;
  settle?: (
    action: ActionToSend,
    signal: AbortSignal,
    look: Look,
  ) => Promise<Exclude<Sent, { outcome: 'ambiguous' }> | undefined>;

  private readonly url: () => string;

  constructor(url: () => string) {
    this.url = url;
  }

  async describe(tx: Tx, target: ActionTarget): Promise<DescribedAction> {
    const [standing] = await tx.rows(this.standing(target, false));
    if (!standing) throw new Error('There is no such chat.');
    return { ...standing, integrationId: null, preview: JSON.stringify(target.arguments) };
  }

  standing({ organizationId, toolName }: ActionTarget, lock: boolean): Statement<ActionStanding> {
    return sql<ActionStanding>`
      select 'external' as risk, '[]'::jsonb as "approvalReasons", jsonb_build_object('title', c.title) as facts,
        case when c.status = 'archived' then 'The chat is archived.' end as unusable
      from chat c where c.organization_id = ${organizationId} and c.id = ${toolName}::uuid and c.deleted_at is null
      ${lock ? sql`for share` : sql``}`;
  }

  /** Makes taking and releasing two steps, with `between` in between. */
  preparing(between: (action: ActionToSend) => Promise<unknown> = () => Promise.resolve()): void {
    this.prepare = async (action) => {
      await between(action);
      return { kind: 'ready', prepared: 'prepared' };
    };
  }

  /** Lets it look what became of ambiguous ones. */
  settling(): void {
    this.settle = (_action, _signal, { isLast }) => {
      this.looks += 1;
      this.lookedLast = isLast;
      return Promise.resolve(this.settled);
    };
  }

  /** As it was made. */
  reset(): void {
    delete this.prepare;
    delete this.settle;
    this.settled = undefined;
    this.looks = 0;
    this.lookedLast = false;
  }

  send(action: ActionToSend, _prepared: string | undefined, signal: AbortSignal): Promise<Sent> {
    const { promise, resolve } = Promise.withResolvers<Sent>();
    let connected = false;
    const call = request(`${this.url()}/${action.id}`, { method: 'POST', agent: false, signal }, (response) => {
      void text(response).then(
        (body) => resolve(sentOf(response.statusCode!, body)),
        () => resolve(AMBIGUOUS),
      );
    });
    call.on('socket', (socket) => socket.once('connect', () => (connected = true)));
    call.on('error', () => resolve(connected ? AMBIGUOUS : { outcome: 'not_executed', error: NOT_REACHED }));
    call.end(action.argumentsText);
    return promise;
  }
}

function sentOf(status: number, body: string): Sent {
  if (status < 300) return { outcome: 'succeeded', result: JSON.parse(body) as object };
  return { outcome: 'failed', error: { code: 'refused', message: 'No.', providerStatus: status } };
}

const AMBIGUOUS: Sent = {
  outcome: 'ambiguous',
  error: { code: 'no_answer', message: 'The connection broke before an answer came.' },
};
const NOT_REACHED = { code: 'not_reached', message: 'No connection stood.' };
