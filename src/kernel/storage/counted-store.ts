import type { Readable } from 'node:stream';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { ConfigError } from '../../config/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { type Addend, Metrics } from '../metrics/index.ts';
import {
  type ByteRange,
  type ListedObject,
  ObjectStore,
  type OpenedBytes,
  type StoredBytes,
  type UploadLimits,
} from './object-store.ts';
import { StorageMetrics } from './storage.metrics.ts';

const OPERATIONS = StorageMetrics.operations.labels.operation;
type Operation = (typeof OPERATIONS)[number];
type Outcome = 'success' | 'failure' | 'refused';

/** A store whose operations are counted by how they ended. */
export class CountedStore extends ObjectStore implements OnModuleInit, OnApplicationShutdown {
  private readonly counters: Readonly<Record<Operation, Readonly<Record<Outcome, Addend>>>>;

  constructor(
    private readonly store: ObjectStore & Partial<OnModuleInit & OnApplicationShutdown>,
    metrics: Metrics,
  ) {
    super();
    const counter = (operation: Operation, outcome: Outcome) =>
      metrics.counter(StorageMetrics.operations, { operation, outcome });
    const counters = OPERATIONS.map((operation) => [
      operation,
      {
        success: counter(operation, 'success'),
        failure: counter(operation, 'failure'),
        refused: counter(operation, 'refused'),
      },
    ]);
    this.counters = Object.fromEntries(counters) as typeof this.counters;
    const works = metrics.lookUp(() => store.check().then(() => true));
    metrics.gauge(StorageMetrics.up, () => (works() ? 1 : 0));
  }

  async onModuleInit(): Promise<void> {
    await this.store.onModuleInit?.();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.onApplicationShutdown?.();
  }

  put(key: string, source: Readable, limits: UploadLimits): Promise<StoredBytes> {
    return this.counted('put', () => this.store.put(key, source, limits));
  }

  open(key: string, range?: ByteRange): Promise<OpenedBytes | undefined> {
    return this.counted('open', () => this.store.open(key, range));
  }

  stat(key: string): Promise<{ readonly sizeBytes: number } | undefined> {
    return this.counted('stat', () => this.store.stat(key));
  }

  delete(key: string): Promise<void> {
    return this.counted('delete', () => this.store.delete(key));
  }

  deletePrefix(prefix: string): Promise<void> {
    return this.counted('delete_prefix', () => this.store.deletePrefix(prefix));
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    try {
      yield* this.store.list(prefix);
      this.counters.list.success.inc();
    } catch (error) {
      this.fail('list', error);
    }
  }

  explain(error: unknown): ConfigError {
    return this.store.explain(error);
  }

  check(): Promise<void> {
    return this.store.check();
  }

  private async counted<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.counters[operation].success.inc();
      return result;
    } catch (error) {
      return this.fail(operation, error);
    }
  }

  /** Of what an upload ends with, only 503 is the store's. */
  private fail(operation: Operation, error: unknown): never {
    const isOfStore =
      operation !== 'put' || (error instanceof ApiError && error.row.status === EdgeErrors.serviceUnavailable.status);
    this.counters[operation][isOfStore ? 'failure' : 'refused'].inc();
    throw error;
  }
}
