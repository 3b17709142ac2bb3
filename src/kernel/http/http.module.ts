import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ValidationPipe } from '../validation/index.ts';
import { Draining } from './edge/index.ts';
import { EnvelopeInterceptor } from './envelope.interceptor.ts';
import { EventStreams } from './sse/index.ts';
import { RequestMetrics } from './requests/index.ts';
import { ErrorFilter } from './error.filter.ts';
import { HealthController } from './health.controller.ts';
import { MetricsController } from './metrics.controller.ts';
import { ResponseSerializers } from './envelope/index.ts';

@Module({
  controllers: [HealthController, MetricsController],
  providers: [
    ResponseSerializers,
    RequestMetrics,
    EventStreams,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    { provide: APP_PIPE, useClass: ValidationPipe },
  ],
})
export class HttpModule {
  /** `draining` is shared with the adapter, which exists before any module. */
  static register(draining: Draining): DynamicModule {
    return {
      module: HttpModule,
      global: true,
      providers: [{ provide: Draining, useValue: draining }],
      exports: [Draining],
    };
  }
}
