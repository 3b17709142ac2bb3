import type { DynamicModule } from '@nestjs/common';
import { Config } from './config.ts';

/**
 * Makes the configuration injectable everywhere. A dynamic module needs no `@Module`, and without decorators scripts can
 * run this folder as it is.
 */
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
