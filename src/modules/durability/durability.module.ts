import { Module } from '@nestjs/common';
import { DurabilityController } from './durability.controller.ts';
import { DurabilityJobs } from './durability.jobs.ts';
import { DurabilityService } from './durability.service.ts';

@Module({
  controllers: [DurabilityController],
  providers: [DurabilityService, DurabilityJobs],
})
export class DurabilityModule {}
