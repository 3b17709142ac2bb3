import type { DynamicModule } from '@nestjs/common';
import { Config } from './config.ts';

/**
 * Makes the configuration injectable everywhere. Uses a dynamic module without `@Module`, because scripts can run this
 * folder unbuilt only without decorators.
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
