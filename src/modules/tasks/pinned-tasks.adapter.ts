import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { PinnableTasks, type TaskDirectory } from '../chats/index.ts';
import { readTaskIds } from './creation/task-references.ts';

/** Tells chats which of the tasks that they are to pin exist. */
@Injectable()
export class PinnedTasks implements TaskDirectory {
  constructor(pinnable: PinnableTasks) {
    pinnable.register(this);
  }

  async tasksAmong(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await readTaskIds(tx, ids)).values());
  }
}
