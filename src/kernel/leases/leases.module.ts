import { Global, Module } from '@nestjs/common';
import { LeaseWatcher } from './lease-watcher.ts';
import { WorkerSightings } from './worker-sightings.ts';
import { WorkersJobs } from './workers.jobs.ts';

@Global()
@Module({ providers: [LeaseWatcher, WorkerSightings, WorkersJobs], exports: [LeaseWatcher, WorkerSightings] })
export class LeasesModule {}
