import { Module } from '@nestjs/common';
import { ChatsModule } from '../chats/index.ts';
import { ExecutionsModule } from '../executions/index.ts';
import { RunsModule } from '../runs/index.ts';
import { CheckpointKeys } from './checkpoint-keys.adapter.ts';
import { CheckpointsOfChats } from './checkpoints-of-chats.adapter.ts';
import { DurabilityAgentController } from './durability.agent.controller.ts';
import { DurabilityAgentService } from './durability.agent.service.ts';
import { DurabilityController } from './durability.controller.ts';
import { DurabilityJobs } from './durability.jobs.ts';
import { DurabilityService } from './durability.service.ts';

@Module({
  imports: [ChatsModule, RunsModule, ExecutionsModule],
  controllers: [DurabilityController, DurabilityAgentController],
  providers: [DurabilityService, DurabilityAgentService, CheckpointKeys, CheckpointsOfChats, DurabilityJobs],
})
export class DurabilityModule {}
