import { type DynamicModule, Module } from '@nestjs/common';
import { Config } from './config.ts';

/** Makes the configuration injectable everywhere. */
@Module({})
export class ConfigModule {
  static register(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: Config, useValue: config }],
      exports: [Config],
    };
  }
}
