import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { JobRunner } from './job-runner.ts';

@Global()
@Module({ imports: [DiscoveryModule, ScheduleModule.forRoot()], providers: [JobRunner], exports: [JobRunner] })
export class JobsModule {}
