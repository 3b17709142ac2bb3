import { Global, Module } from '@nestjs/common';
import { LeaseWatcher } from './lease-watcher.ts';

@Global()
@Module({ providers: [LeaseWatcher], exports: [LeaseWatcher] })
export class LeasesModule {}
