import { Global, Module } from '@nestjs/common';
import { SecretsJobs } from './secrets.jobs.ts';
import { Secrets } from './secrets.ts';

@Global()
@Module({ providers: [Secrets, SecretsJobs], exports: [Secrets] })
export class SecretsModule {}
