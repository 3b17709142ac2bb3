import { Module } from '@nestjs/common';
import { StatisticsJobs } from './statistics.jobs.ts';

@Module({ providers: [StatisticsJobs] })
export class StatisticsModule {}
