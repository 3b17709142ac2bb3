import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { BackendItemsService } from '../../inbox/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import { ACTIONS_BACKEND, type HeldAction } from '../action-ending.service.ts';
import { ActionExecutors } from '../action-executors.port.ts';
import type { ActionError } from '../action.state.ts';
import { parkAction } from './execution.queries.ts';
import { parkedBody, parkedTitle } from './parked-text.ts';

/** Parks what was sent and nobody knows the outcome of: a person is asked at once, and its executor looks where it can. */
@Injectable()
export class ActionParkingService {
  constructor(
    private readonly executors: ActionExecutors,
    private readonly items: BackendItemsService,
    private readonly activity: ActivityLogService,
  ) {}

  /** Parks a held action that was sent. Nothing ever sends it again. */
  async park(tx: Tx, { action }: HeldAction, error: ActionError): Promise<void> {
    const { id, reference, title, taskId, runId, chatId } = action;
    const inboxItemId = await this.items.open(tx, {
      kind: 'reconciliation',
      severity: 'action_required',
      title: parkedTitle(action),
      body: parkedBody(action, error.message),
      taskId,
      runId,
      chatId,
      actionId: id,
      expiresAt: null,
    });
    const settles = this.executors.of(action)?.settle !== undefined;
    await tx.batch([
      parkAction(tx.organizationId, id, { error, settles, inboxItemId }),
      ...this.activity.entry(tx, {
        actor: ACTIONS_BACKEND,
        verb: 'action.reconciliation_required',
        subject: { kind: 'action', id, label: `${reference} ${title}` },
        details: { reference, code: error.code },
      }),
    ]);
  }
}
