import type { Options } from '@mikro-orm/postgresql';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { PostgresDialect } from 'kysely';
import { Database } from './database.ts';
import { Migrations, ORM_OPTIONS } from './migrations.ts';
import { MonthlyPartitions } from './monthly-partitions.ts';
import { Reads } from './reads.ts';
import { Transactions } from './transactions.ts';

/** Pools and contexts. Entities and migrations are named by the application, which alone knows every module. */
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
          inject: [Database],
          // Entities travel on the same pool as hand-written statements, which `Database` alone ends.
          useFactory: (database: Database): Options =>
            ({
              ...ormOptions,
              driverOptions: new PostgresDialect({
                pool: { options: {}, connect: () => database.app.connect(), end: async () => undefined },
              }),
              registerRequestContext: false,
            }) as Options,
        }),
      ],
      providers: [Reads, Transactions, Migrations, MonthlyPartitions, { provide: ORM_OPTIONS, useValue: ormOptions }],
      exports: [Reads, Transactions, Migrations, MonthlyPartitions],
    };
  }
}

class DatabasePools {}
