import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Tracing } from './tracing.ts';

@Global()
@Module({})
export class TracingModule {
  /** `tracing` is shared with the HTTP adapter, which exists before any module. */
  static register(tracing: Tracing): DynamicModule {
    return { module: TracingModule, providers: [{ provide: Tracing, useValue: tracing }], exports: [Tracing] };
  }
}
