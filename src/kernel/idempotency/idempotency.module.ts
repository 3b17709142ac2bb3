import { Global, Module } from '@nestjs/common';
import { IdempotencyJobs } from './idempotency.jobs.ts';
import { Idempotency } from './idempotency.ts';

@Global()
@Module({ providers: [Idempotency, IdempotencyJobs], exports: [Idempotency] })
export class IdempotencyModule {}
