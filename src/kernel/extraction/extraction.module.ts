import { Global, Module } from '@nestjs/common';
import { Extraction } from './extraction.ts';

@Global()
@Module({ providers: [Extraction], exports: [Extraction] })
export class ExtractionModule {}
