import { Global, Module } from '@nestjs/common';
import { FolderStore } from './folder-store.ts';
import { ObjectStore } from './object-store.ts';

@Global()
@Module({ providers: [{ provide: ObjectStore, useClass: FolderStore }], exports: [ObjectStore] })
export class StorageModule {}
