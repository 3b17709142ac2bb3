import type { Options } from '@mikro-orm/postgresql';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Database } from './database.ts';
import { NO_CONNECTION } from './entity-connection.ts';
import { Migrations, ORM_OPTIONS } from './migrations.ts';
import { MonthlyPartitions } from './monthly-partitions.ts';
import { Reads } from './reads.ts';
import { Transactions } from './transactions.ts';

/** Pools and contexts. The application names entities and migrations, because only it knows every module. */
@Global()
@Module({})
export class DatabaseModule {
  static register(ormOptions: Options): DynamicModule {
    const pools: DynamicModule = { module: DatabasePools, global: true, providers: [Database], exports: [Database] };
    return {
      module: DatabaseModule,
      imports: [
        pools,
        MikroOrmModule.forRootAsync({
          driver: PostgreSqlDriver,
          // Entities use the same connections as hand-written statements (`entity-connection.ts`).
          useFactory: (): Options =>
            ({ ...ormOptions, driverOptions: NO_CONNECTION, registerRequestContext: false }) as Options,
        }),
      ],
      providers: [Reads, Transactions, Migrations, MonthlyPartitions, { provide: ORM_OPTIONS, useValue: ormOptions }],
      exports: [Reads, Transactions, Migrations, MonthlyPartitions],
    };
  }
}

class DatabasePools {}
