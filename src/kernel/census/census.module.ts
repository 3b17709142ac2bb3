import { Global, Module } from '@nestjs/common';
import { Census } from './census.ts';

@Global()
@Module({ providers: [Census], exports: [Census] })
export class CensusModule {}
