import { Global, Module } from '@nestjs/common';
import { OutboxJobs } from './outbox.jobs.ts';
import { Outbox } from './outbox.ts';

@Global()
@Module({ providers: [Outbox, OutboxJobs], exports: [Outbox] })
export class OutboxModule {}
