import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Metrics, MetricsModule } from '../metrics/index.ts';
import { Tracing } from './tracing.ts';

@Global()
@Module({})
export class TracingModule {
  /** `tracing` is shared with the HTTP adapter, which exists before any module. */
  static register(tracing: Tracing): DynamicModule {
    const useFactory = (metrics: Metrics) => tracing.measuredBy(metrics);
    return {
      module: TracingModule,
      imports: [MetricsModule],
      providers: [{ provide: Tracing, useFactory, inject: [Metrics] }],
      exports: [Tracing],
    };
  }
}
