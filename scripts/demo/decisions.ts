import { setTimeout as wait } from 'node:timers/promises';
import type { Api, Data } from '../../examples/agent-runtime/src/api.ts';
import type { Screen } from './task-tree.ts';

export type Item = Data<'get', '/organizations/{organizationId}/human-inbox'>[number];
export type Action = Data<'get', '/organizations/{organizationId}/actions/{id}'>;
type Outcome = 'succeeded' | 'not_executed';

/** Who decides. Undefined where somebody else closed the item meanwhile, by another client. */
export interface Decider {
  answer(item: Item, signal: AbortSignal): Promise<string | undefined>;
  approves(action: Action, signal: AbortSignal): Promise<boolean | undefined>;
  /** Whether an onboarding is completed in spite of so many warnings. */
  allows(warnings: number, signal: AbortSignal): Promise<boolean>;
  /** What became of an action that nobody knows of, because a process was killed over it. */
  becameOf(action: Action, signal: AbortSignal): Promise<Outcome | undefined>;
}

interface Place {
  readonly api: Api;
  readonly organizationId: string;
  readonly screen: Screen;
}

const LOOK_EVERY_MS = 500;

/** What waits for a person: shows it, lets the decider decide, and says by the routes of owners what was decided. */
export class Decisions {
  private readonly place: Place;
  private readonly decider: Decider;

  constructor(place: Place, decider: Decider) {
    this.place = place;
    this.decider = decider;
  }

  /** Goes through what is open; waits where a person takes their time. */
  async look(signal: AbortSignal): Promise<void> {
    const { api, organizationId } = this.place;
    const items = await api.call('get', '/organizations/{organizationId}/human-inbox', {
      path: { organizationId },
      query: { status: ['open'], order: 'asc' },
      signal,
    });
    for (const item of items) {
      if (item.kind === 'question') await this.ask(item, signal);
      else if (item.kind === 'approval') await this.approve(item, signal);
      else if (item.kind === 'reconciliation') await this.reconcile(item, signal);
    }
  }

  private async ask(item: Item, signal: AbortSignal): Promise<void> {
    const { recommendation, options = [], recommendedOptionId } = item.presentation;
    this.show(`${item.openedBy.profileKey ?? 'The service'} asks: ${item.title}`, [
      item.body,
      ...(recommendation ? [`Recommended: ${recommendation}`] : []),
      ...options.map(({ id, label }) => `${id}: ${label}${id === recommendedOptionId ? ' (recommended)' : ''}`),
    ]);
    const text = await this.whileOpen(item, signal, (open) => this.decider.answer(item, open));
    if (text === undefined) return;
    const { api, organizationId, screen } = this.place;
    await api.call('post', '/organizations/{organizationId}/human-inbox/{inboxItemId}/respond', {
      path: { organizationId, inboxItemId: item.id },
      body: { response: text },
      signal,
    });
    screen.say(`  The owner answers: ${text}\n`);
  }

  private async approve(item: Item, signal: AbortSignal): Promise<void> {
    const action = await this.actionOf(item, signal);
    this.show(`An agent proposes ${action.reference}: ${action.title}`, [
      action.summary,
      ...action.preview.split('\n'),
    ]);
    const approves = await this.whileOpen(item, signal, (open) => this.decider.approves(action, open));
    if (approves === undefined) return;
    const { api, organizationId, screen } = this.place;
    const path = { organizationId, id: action.id };
    // The digest of what was shown: should it be another by now, nothing is decided.
    const options = { path, body: { expectedDigest: action.argumentsDigest }, signal };
    if (approves) await api.call('post', '/organizations/{organizationId}/actions/{id}/approve', options);
    else await api.call('post', '/organizations/{organizationId}/actions/{id}/reject', options);
    screen.say(`  The owner ${approves ? 'approves' : 'rejects'} ${action.reference}.\n`);
  }

  private async reconcile(item: Item, signal: AbortSignal): Promise<void> {
    const action = await this.actionOf(item, signal);
    this.show(`Nobody knows what became of ${action.reference}: ${action.title}`, ['It is never sent again.']);
    const outcome = await this.whileOpen(item, signal, (open) => this.decider.becameOf(action, open));
    if (outcome === undefined) return;
    const { api, organizationId, screen } = this.place;
    await api.call('post', '/organizations/{organizationId}/actions/{id}/reconcile', {
      path: { organizationId, id: action.id },
      body: { outcome, note: 'Looked at what the other side has.' },
      signal,
    });
    screen.say(`  The owner looks at the other side: ${outcome.replace('_', ' ')}.\n`);
  }

  private actionOf(item: Item, signal: AbortSignal): Promise<Action> {
    const { api, organizationId } = this.place;
    const path = { organizationId, id: item.actionId! };
    return api.call('get', '/organizations/{organizationId}/actions/{id}', { path, signal });
  }

  private show(title: string, lines: readonly string[]): void {
    this.place.screen.say(
      [`\n? ${title}`, ...lines.flatMap((line) => line.split('\n')).map((line) => `    ${line}`)].join('\n'),
    );
  }

  /** Lets the decider decide until the item is closed by others. */
  private async whileOpen<T>(
    { id }: Item,
    signal: AbortSignal,
    decide: (open: AbortSignal) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { api, organizationId } = this.place;
    const closed = new AbortController();
    const decided = new AbortController();
    const watching = (async () => {
      const path = { organizationId, inboxItemId: id };
      const until = AbortSignal.any([signal, decided.signal]);
      for (;;) {
        const { status } = await api.call('get', '/organizations/{organizationId}/human-inbox/{inboxItemId}', {
          path,
          signal: until,
        });
        if (status !== 'open') return closed.abort();
        await wait(LOOK_EVERY_MS, undefined, { signal: until });
      }
    })().catch(() => undefined);
    try {
      return await decide(AbortSignal.any([signal, closed.signal]));
    } catch (error) {
      if (!closed.signal.aborted) throw error;
      this.place.screen.say('  It was decided elsewhere.\n');
      return undefined;
    } finally {
      decided.abort();
      await watching;
    }
  }
}
