import { Module } from '@nestjs/common';
import { ChatsModule } from '../chats/index.ts';
import { RunsModule } from '../runs/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { ExecutionAgentController } from './execution.agent.controller.ts';
import { ExecutionManifestService } from './execution-manifest.service.ts';
import { KnownWorkersController } from './known-workers.controller.ts';
import { KnownWorkersService } from './known-workers.service.ts';
import { ManifestContext } from './manifest-context.port.ts';
import { ManifestParts } from './manifest-parts.port.ts';
import { WorkerRecoveryService } from './worker-recovery.service.ts';
import { WorkersController } from './workers.runtime.controller.ts';

@Module({
  imports: [ChatsModule, TasksModule, RunsModule],
  controllers: [WorkersController, KnownWorkersController, ExecutionAgentController],
  providers: [ManifestParts, ManifestContext, ExecutionManifestService, WorkerRecoveryService, KnownWorkersService],
  exports: [ManifestParts, ManifestContext],
})
export class ExecutionsModule {}
