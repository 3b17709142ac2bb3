import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics.ts';

export class MetricsModule {}

// Called and not written as decorators, because scripts can run this folder unbuilt only without.
Global()(MetricsModule);
Module({ providers: [Metrics], exports: [Metrics] })(MetricsModule);
