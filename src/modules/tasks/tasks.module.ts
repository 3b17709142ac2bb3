import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/index.ts';
import { OperatorQuestions } from './operator-questions.ts';
import { RunRequestQueue } from './run-request-queue.ts';
import { TaskEnded } from './task-ended.ts';
import { TaskEnding } from './task-ending.ts';
import { WorkSignals } from './work-signals.ts';

@Module({
  imports: [OrganizationsModule],
  providers: [WorkSignals, RunRequestQueue, TaskEnded, OperatorQuestions, TaskEnding],
  exports: [WorkSignals, RunRequestQueue, TaskEnded, OperatorQuestions, TaskEnding],
})
export class TasksModule {}
