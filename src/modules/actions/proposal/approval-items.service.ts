import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { BackendItemsService } from '../../inbox/index.ts';
import { approvalBody, approvalTitle, type AskedAction } from './approval-text.ts';
import { noteItem } from '../actions.queries.ts';

/** Puts actions before a person who is to approve them. */
@Injectable()
export class ApprovalItemsService {
  constructor(private readonly items: BackendItemsService) {}

  /** Opens the item of an action that awaits approval, and notes it in the action. */
  async open(tx: Tx, action: AskedAction): Promise<void> {
    const { id, taskId, runId, chatId, expiresAt } = action;
    const itemId = await this.items.open(tx, {
      kind: 'approval',
      severity: 'action_required',
      title: approvalTitle(action),
      body: approvalBody(action),
      taskId,
      runId,
      chatId,
      actionId: id,
      expiresAt,
    });
    await tx.rows(noteItem(tx.organizationId, id, itemId));
  }
}
