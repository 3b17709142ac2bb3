import { Global, Module } from '@nestjs/common';
import { Config } from '../../config/index.ts';
import { Egress } from './egress.ts';

@Global()
@Module({
  providers: [{ provide: Egress, useFactory: (config: Config) => new Egress(config.egress), inject: [Config] }],
  exports: [Egress],
})
export class EgressModule {}
