import { NestedList, Uuid } from '../../kernel/validation/index.ts';
import { TaskDependencyDto } from './task-dependency.dto.ts';
import { TaskDto } from './task.dto.ts';

export class TaskGraphDto {
  @Uuid({ description: 'The task that was asked for' })
  focusTaskId!: string;
  @Uuid()
  rootTaskId!: string;
  @NestedList(() => TaskDto, { description: 'The tree of the root, the focus always among them' })
  tasks!: TaskDto[];
  @NestedList(() => TaskDto, { description: 'Tasks of other roots that a dependency ties to the tree' })
  relatedTasks!: TaskDto[];
  @NestedList(() => TaskDependencyDto, { description: 'Dependencies among the tasks that are shown' })
  dependencies!: TaskDependencyDto[];
}
