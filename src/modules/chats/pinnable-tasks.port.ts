import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';

/** Tells which tasks there are. */
export interface TaskDirectory {
  /** The ids among these that name a task of the organization. */
  tasksAmong(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Port, declared here and implemented by `tasks`: a chat pins only tasks that exist. */
@Injectable()
export class PinnableTasks {
  private directory: TaskDirectory | undefined;

  register(directory: TaskDirectory): void {
    this.directory = directory;
  }

  async among(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return (await this.directory?.tasksAmong(tx, ids)) ?? new Set();
  }
}
