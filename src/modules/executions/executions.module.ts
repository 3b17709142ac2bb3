import { Module } from '@nestjs/common';
import { ChatsModule } from '../chats/index.ts';
import { RunsModule } from '../runs/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { ExecutionAgentController } from './manifest/execution.agent.controller.ts';
import { ExecutionManifestService } from './manifest/execution-manifest.service.ts';
import { KnownWorkersController } from './workers/known-workers.controller.ts';
import { KnownWorkersService } from './workers/known-workers.service.ts';
import { ManifestContext } from './manifest-context.port.ts';
import { ManifestParts } from './manifest-parts.port.ts';
import { WorkerRecoveryService } from './workers/worker-recovery.service.ts';
import { WorkersController } from './workers/workers.runtime.controller.ts';

@Module({
  imports: [ChatsModule, TasksModule, RunsModule],
  controllers: [WorkersController, KnownWorkersController, ExecutionAgentController],
  providers: [ManifestParts, ManifestContext, ExecutionManifestService, WorkerRecoveryService, KnownWorkersService],
  exports: [ManifestParts, ManifestContext],
})
export class ExecutionsModule {}
