import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import type { Actor } from '../organizations/index.ts';
import { CreateTaskDto, CreateTaskSpecDto, TaskCreationService } from '../tasks/index.ts';
import { cycleOf, type CycleRow } from './learning-cycles.queries.ts';
import { LearningErrors } from './learning.errors.ts';

const TITLE = 'Learn from finished work';
const OBJECTIVE =
  'Look at the tasks of this profile that have ended since the last cycle, at what people answered, and at the lessons ' +
  'that stand; `learning` and `memory` of the manifest have them. Keep what future work can use, each lesson with the ' +
  'tasks, evidence or answers that it rests on, and leave out what does not hold any more. Ask people about what only ' +
  'they know (inbox, purpose `learning_input`). End in an outcome of kind `learning`.';

/** Where a cycle comes from. */
export interface CycleOrigin {
  readonly actor: Actor;
  readonly sourceChatId?: string | null;
  readonly sourceMessageId?: string | null;
  readonly createdByRunId?: string | null;
}

/** Begins cycles: the tasks in which profiles learn, one at a time. */
@Injectable()
export class LearningCyclesService {
  constructor(private readonly creation: TaskCreationService) {}

  /** Creates the learning task of a profile; answers the one that lives as it is, where there is one. */
  async begin(
    tx: Tx,
    agentProfileId: string,
    origin: CycleOrigin,
  ): Promise<{ readonly cycle: CycleRow; readonly existing: boolean }> {
    const body = Object.assign(new CreateTaskDto(), {
      title: TITLE,
      spec: Object.assign(new CreateTaskSpecDto(), { objective: OBJECTIVE }),
      ownerAgentProfileId: agentProfileId,
      dedupeKey: cycleKey(agentProfileId),
    });
    const { id, existing } = await this.creation.create(tx, body, { ...origin, kind: 'learning' });
    const [cycle] = await tx.rows(cycleOf(tx.organizationId, id, agentProfileId));
    // Keys are anybody's to choose.
    if (!cycle) throw new ApiError(LearningErrors.keyTaken);
    return { cycle, existing };
  }
}

/** The key of which one learning task of a profile may be open. */
export function cycleKey(agentProfileId: string): string {
  return `learning:${agentProfileId}`;
}
