import { Global, Module } from '@nestjs/common';
import { Config } from '../../config/index.ts';
import { Clock } from '../clock/index.ts';
import { Metrics, MetricsModule } from '../metrics/index.ts';
import { CountedStore } from './counted-store.ts';
import { FolderStore } from './folder-store.ts';
import { ObjectStore } from './object-store.ts';

/** Makes the store of the configuration. Loads the S3 client only if it is used, because it is large. */
export async function makeStore(config: Config, clock: Clock): Promise<ObjectStore> {
  if (!config.objectStoreS3) return new FolderStore(config);
  const { S3Store } = await import('./s3-store.ts');
  return new S3Store(config.objectStoreS3, clock);
}

const store = {
  provide: ObjectStore,
  inject: [Config, Clock, Metrics],
  useFactory: async (config: Config, clock: Clock, metrics: Metrics) =>
    new CountedStore(await makeStore(config, clock), metrics),
};

@Global()
@Module({
  imports: [MetricsModule],
  providers: [Clock, store],
  exports: [ObjectStore],
})
export class StorageModule {}
