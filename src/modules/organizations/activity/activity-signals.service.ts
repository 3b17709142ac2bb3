import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Bus } from '../../../kernel/bus/index.ts';
import { Clock } from '../../../kernel/clock/index.ts';

const CHANGED = 'activity.changed';
const FOLLOWED = 'activity.followed';

/** Ids of organizations in one message of the bus. */
const IDS_IN_MESSAGE = 180;
/** How long an organization counts as followed elsewhere; followers say it again every 2 s. */
const FOLLOWED_MS = 10_000;
/** Other processes are told of an organization at most once in this time, however many entries are written. */
const TOLD_EVERY_MS = 20;

/**
 * Tells processes that follow the activity of an organization of new entries. What nobody follows costs its writers a
 * look into a map: each process says what it follows, and says it again. Signals are hints: followers also look now and
 * then.
 */
@Injectable()
export class ActivitySignalsService implements OnApplicationShutdown {
  private handler: ((organizationId: string) => void) | undefined;
  /** Organizations that other processes follow, with the time until which that holds. */
  private readonly followed = new Map<string, number>();
  /** Organizations of which others were told just now, and whether there is news since. */
  private readonly told = new Map<string, { readonly timer: NodeJS.Timeout; isStale: boolean }>();

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
  ) {
    bus.subscribe(CHANGED, ({ org }) => this.handler?.(String(org)));
    bus.subscribe(FOLLOWED, ({ orgs }) => {
      const untilMs = this.clock.monotonicMs() + FOLLOWED_MS;
      for (const organizationId of String(orgs).split(' ')) this.followed.set(organizationId, untilMs);
    });
  }

  onApplicationShutdown(): void {
    for (const { timer } of this.told.values()) clearTimeout(timer);
  }

  /** An organization has new entries; call it after their commit. */
  changed(organizationId: string): void {
    this.handler?.(organizationId);
    const untilMs = this.followed.get(organizationId);
    if (untilMs === undefined) return;
    if (untilMs > this.clock.monotonicMs()) this.tell(organizationId);
    else this.followed.delete(organizationId);
  }

  /** Calls the one handler with each organization that has new entries, whether written here or elsewhere. */
  onChanged(handler: (organizationId: string) => void): void {
    this.handler = handler;
  }

  /** Makes the other processes tell of these organizations for the next seconds. */
  follow(organizationIds: readonly string[]): void {
    for (let at = 0; at < organizationIds.length; at += IDS_IN_MESSAGE)
      this.bus.publishElsewhere(FOLLOWED, { orgs: organizationIds.slice(at, at + IDS_IN_MESSAGE).join(' ') });
  }

  onGap(handler: () => void): void {
    this.bus.onGap(handler);
  }

  private tell(organizationId: string): void {
    const told = this.told.get(organizationId);
    if (told) {
      told.isStale = true;
      return;
    }
    this.bus.publishElsewhere(CHANGED, { org: organizationId });
    const timer = setTimeout(() => this.tellAgain(organizationId), TOLD_EVERY_MS).unref();
    this.told.set(organizationId, { timer, isStale: false });
  }

  private tellAgain(organizationId: string): void {
    const { isStale } = this.told.get(organizationId)!;
    this.told.delete(organizationId);
    if (isStale) this.tell(organizationId);
  }
}
