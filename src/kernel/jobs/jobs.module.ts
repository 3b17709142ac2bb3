import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { MetricsModule } from '../metrics/index.ts';
import { JobRunner } from './job-runner.ts';

@Global()
@Module({
  imports: [DiscoveryModule, MetricsModule, ScheduleModule.forRoot()],
  providers: [JobRunner],
  exports: [JobRunner],
})
export class JobsModule {}
