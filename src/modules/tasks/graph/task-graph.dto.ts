import { Flag, Integer, NestedList, Uuid } from '../../../kernel/validation/index.ts';
import { TaskDependencyDto } from './task-dependency.dto.ts';
import { GRAPH_LIMITS } from './task-graph-limits.ts';
import { TaskDto } from '../task.dto.ts';

const { treeTasks, relatedTasks, dependencies } = GRAPH_LIMITS;

export class TaskGraphDto {
  @Uuid({ description: 'The task that was asked for' })
  focusTaskId!: string;
  @Uuid()
  rootTaskId!: string;
  @Integer({
    description: 'Tasks of the tree that the caller may see, shown or not',
    example: 7,
  })
  totalTasks!: number;
  @Flag({
    description: `Whether the answer leaves something out: it holds at most ${treeTasks.toLocaleString('en')} tasks of the tree, ${relatedTasks} related ones, ${dependencies.toLocaleString('en')} dependencies and some 4 MB of tasks. The focus stays, then the tasks above it, its children, its siblings, and of the others the highest`,
  })
  truncated!: boolean;
  @NestedList(() => TaskDto, { description: 'Tasks of the tree; always contains the focus' })
  tasks!: TaskDto[];
  @NestedList(() => TaskDto, { description: 'Tasks of other roots that a dependency ties to the tree' })
  relatedTasks!: TaskDto[];
  @NestedList(() => TaskDependencyDto, { description: 'Dependencies among the tasks that are shown' })
  dependencies!: TaskDependencyDto[];
}
