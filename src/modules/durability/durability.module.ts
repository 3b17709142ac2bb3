import { Module } from '@nestjs/common';
import { ChatsModule } from '../chats/index.ts';
import { RunsModule } from '../runs/index.ts';
import { CheckpointKeys } from './checkpoint-keys.ts';
import { CheckpointsOfChats } from './checkpoints-of-chats.ts';
import { AgentDurabilityController } from './durability.agent.controller.ts';
import { AgentDurability } from './durability.agent.service.ts';
import { DurabilityController } from './durability.controller.ts';
import { DurabilityJobs } from './durability.jobs.ts';
import { DurabilityService } from './durability.service.ts';

@Module({
  imports: [ChatsModule, RunsModule],
  controllers: [DurabilityController, AgentDurabilityController],
  providers: [DurabilityService, AgentDurability, CheckpointKeys, CheckpointsOfChats, DurabilityJobs],
})
export class DurabilityModule {}
