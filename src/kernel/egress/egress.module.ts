import { Global, Module } from '@nestjs/common';
import { Config } from '../../config/index.ts';
import { Metrics } from '../metrics/index.ts';
import { Egress } from './egress.ts';

@Global()
@Module({
  providers: [
    {
      provide: Egress,
      useFactory: (config: Config, metrics: Metrics) => new Egress(config.egress, metrics),
      inject: [Config, Metrics],
    },
  ],
  exports: [Egress],
})
export class EgressModule {}
