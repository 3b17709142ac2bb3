import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { BackendItemsService } from '../inbox/index.ts';
import type { Actor } from '../organizations/index.ts';
import { type CreatedTask, type CreateTaskDto, hasEnded, TaskCreationService } from '../tasks/index.ts';
import { DiscoveryIntentionsService } from './discovery-intentions.service.ts';
import { minutesToRetry, PROFILE_MINUTES } from './discovery.policy.ts';
import {
  changeIntention,
  discoveryFacts,
  type IntentionChange,
  intentionFacts,
  type IntentionFacts,
  later,
  lockDiscovery,
  profileFor,
} from './discovery.queries.ts';
import { type IntentionKey, type IntentionMove, intentionMoves } from './discovery.state.ts';
import { discoveryTask, noticeKey, noticeOf } from './discovery-tasks.ts';

const DISCOVERY: Actor = { kind: 'system', name: 'discovery' };

/** Moves intentions on, each move in one transaction behind the lock of its organization's discovery. */
@Injectable()
export class DiscoveryMovesService {
  constructor(
    private readonly intentions: DiscoveryIntentionsService,
    private readonly creation: TaskCreationService,
    private readonly inbox: BackendItemsService,
  ) {}

  /** The finder only proposes: what is so is read again behind the lock. */
  async move(tx: Tx, key: IntentionKey): Promise<void> {
    const { organizationId } = tx;
    const [locked, [intention]] = await tx.batch([lockDiscovery(organizationId), intentionFacts(organizationId, key)]);
    if (locked.length === 0 || !intention) return;
    const { status, taskStatus } = intention;
    const lives = taskStatus !== null && !hasEnded(taskStatus);
    if (status === 'task_created') {
      if (!lives) await this.settle(tx, intention);
    } else if (status === 'failed' && lives) await this.change(tx, intention, 'begin', { settled: false });
    else if (intention.isDue && intentionMoves.after('begin', status) !== undefined) await this.begin(tx, intention);
  }

  /** Creates the task of the next attempt; without a profile that may do it now, looks again in a while. */
  private async begin(tx: Tx, intention: IntentionFacts): Promise<void> {
    const { organizationId } = tx;
    const { key, kind } = intention;
    const [[facts], [profile], [again]] = await tx.batch([
      discoveryFacts(organizationId),
      profileFor(organizationId, key, kind),
      later(PROFILE_MINUTES),
    ]);
    const isOff = kind === 'department' && !(facts!.enabledDepartments as readonly string[]).includes(key);
    const attempts = intention.attempts + 1;
    const task = isOff || !profile ? undefined : await this.create(tx, discoveryTask(key, attempts, profile.id));
    if (task) await this.change(tx, intention, 'begin', { attempts, taskId: task.id });
    else await tx.rows(changeIntention(organizationId, key, { ...intention, nextAttemptAt: again!.at }));
  }

  /** Keys are anybody's to choose: undefined where another task has the one of this attempt. */
  private async create(tx: Tx, body: CreateTaskDto): Promise<CreatedTask | undefined> {
    const task = await this.creation.create(tx, body, { actor: DISCOVERY, kind: 'discovery' });
    return task.existing ? undefined : task;
  }

  /** Draws the conclusion from the end of a task. */
  private async settle(tx: Tx, intention: IntentionFacts): Promise<void> {
    const { key, taskStatus, hasRecord, attempts, taskId } = intention;
    if (taskStatus === 'completed' && hasRecord) {
      await this.change(tx, intention, 'retain', { settled: true });
      await this.inbox.close(tx, { dedupeKey: noticeKey(key) }, { status: 'withdrawn', by: null, reason: 'retried' });
      return this.intentions.release(tx);
    }
    // A person said no to it.
    const minutes = taskStatus === 'cancelled' ? undefined : minutesToRetry(attempts);
    if (minutes !== undefined) {
      const [next] = await tx.rows(later(minutes));
      return this.change(tx, intention, 'fail', { nextAttemptAt: next!.at });
    }
    await this.change(tx, intention, 'fail', { settled: true });
    if (taskStatus !== 'cancelled') await this.tell(tx, key, taskId);
    return this.intentions.release(tx);
  }

  private async change(
    tx: Tx,
    intention: IntentionFacts,
    move: IntentionMove,
    change: Partial<IntentionChange>,
  ): Promise<void> {
    const status = intentionMoves.after(move, intention.status)!;
    const { key, settled, attempts, taskId } = intention;
    const moved = { settled, attempts, taskId, nextAttemptAt: null, ...change, status };
    await tx.rows(changeIntention(tx.organizationId, key, moved));
  }

  private async tell(tx: Tx, key: IntentionKey, taskId: string | null): Promise<void> {
    await this.inbox.open(tx, {
      ...noticeOf(key, taskId),
      kind: 'notification',
      severity: 'attention',
      runId: null,
      chatId: null,
      actionId: null,
      expiresAt: null,
    });
  }
}
