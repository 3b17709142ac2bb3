import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type MultipartUpload,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ConfigError, S3Config } from '../../config/index.ts';
import type { Clock } from '../clock/index.ts';
import { isKey, requireKey } from './object-key.ts';
import {
  type ByteRange,
  LEFT_BEHIND_MS,
  type ListedObject,
  ObjectStore,
  type OpenedBytes,
  type StoredBytes,
  type UploadLimits,
} from './object-store.ts';
import { answerOf, startRefusal, unlessAbsent } from './s3-errors.ts';
import { S3Upload } from './s3-upload.ts';
import { dropRest, piecesOf, UploadMeasure } from './upload-measure.ts';

/**
 * How long a check counts, because anyone may call the readiness probe, and each check costs the operator two requests.
 */
const CHECK_HOLDS_MS = 5_000;
/**
 * Parallel deletes of one object each, because not every store supports deleting many in one request with the client's
 * checksums.
 */
const DELETES_AT_ONCE = 16;
/** Key of the upload that `check` begins to see whether the store takes bytes. No key begins with a dot. */
const PROBE = '.probe';
/** Limits a check of a store that accepts connections and never answers, with all attempts of the client. */
const PROBE_LIMIT_MS = 10_000;

/**
 * Stores each object as an object of a bucket. Puts up to a part's size in one request, and larger objects in parts,
 * which become visible together and only after the digest was checked. Any number of processes may share the bucket.
 */
export class S3Store extends ObjectStore implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('ObjectStore');
  private readonly client: S3Client;
  /** Prefix of every key. */
  private readonly root: string;
  private lastCheck: { readonly holdsUntilMs: number; readonly outcome: Promise<void> } | undefined;

  constructor(
    private readonly config: S3Config,
    private readonly clock: Clock,
  ) {
    super();
    this.client = clientOf(config);
    this.root = config.prefix === '' ? '' : `${config.prefix}/`;
  }

  async onModuleInit(): Promise<void> {
    try {
      await this.probe();
    } catch (error) {
      throw this.explain(error);
    }
    await this.abortLeftBehind();
  }

  override explain(error: unknown): ConfigError {
    return startRefusal(error, this.config.endpoint);
  }

  /** Runs after the last request, so that no upload loses its client. */
  onApplicationShutdown(): void {
    this.client.destroy();
  }

  async put(key: string, source: Readable, limits: UploadLimits): Promise<StoredBytes> {
    const upload = new S3Upload(this.client, this.target(key));
    const measure = new UploadMeasure(limits);
    try {
      for await (const piece of piecesOf(source)) {
        measure.take(piece);
        await upload.add(piece);
      }
      const stored = measure.finish();
      await upload.finish();
      return stored;
    } catch (error) {
      dropRest(source);
      await upload
        .abort()
        .catch((trouble: Error) => this.logger.warn(`parts of ${key} could not be removed: ${trouble.message}`));
      throw error;
    }
  }

  async open(key: string, range?: ByteRange): Promise<OpenedBytes | undefined> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const command = new GetObjectCommand({ ...this.target(key), Range });
    const found = await unlessAbsent(answerOf(this.client.send(command)));
    if (!found) return undefined;
    const stream = found.Body as Readable;
    const whole = range ? found.ContentRange?.split('/')[1] : found.ContentLength;
    if (whole !== undefined) return { stream, sizeBytes: Number(whole) };
    stream.destroy();
    throw new Error(`The object store's answer has no length for ${key} (${Range ?? 'all'}).`);
  }

  async stat(key: string): Promise<{ sizeBytes: number } | undefined> {
    const found = await unlessAbsent(answerOf(this.client.send(new HeadObjectCommand(this.target(key)))));
    return found && { sizeBytes: found.ContentLength! };
  }

  async delete(key: string): Promise<void> {
    await answerOf(this.client.send(new DeleteObjectCommand(this.target(key))));
  }

  async deletePrefix(prefix: string): Promise<void> {
    let batch: string[] = [];
    const remove = async () => {
      await Promise.all(batch.map((key) => this.delete(key)));
      batch = [];
    };
    for await (const { key } of this.list(prefix)) if (batch.push(key) === DELETES_AT_ONCE) await remove();
    await remove();
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    const { Bucket, Key } = this.target(prefix);
    const pages = paginateListObjectsV2({ client: this.client }, { Bucket, Prefix: `${Key}/` });
    for (;;) {
      const { done, value: page } = await answerOf(pages.next());
      if (done) return;
      for (const { Key: name, LastModified } of page.Contents ?? [])
        yield { key: name!.slice(this.root.length), storedAt: LastModified! };
    }
  }

  check(): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    if (!this.lastCheck || this.lastCheck.holdsUntilMs <= nowMs)
      this.lastCheck = { holdsUntilMs: nowMs + CHECK_HOLDS_MS, outcome: this.probe() };
    return this.lastCheck.outcome;
  }

  /**
   * Begins an upload and aborts it: this needs the same rights as a put, but leaves no object, not even a version of
   * one.
   */
  private async probe(): Promise<void> {
    const upload = new S3Upload(this.client, { Bucket: this.config.bucket, Key: this.root + PROBE });
    const limit = AbortSignal.timeout(PROBE_LIMIT_MS);
    await upload.begin(limit);
    await upload.abort(limit);
  }

  private target(key: string): { Bucket: string; Key: string } {
    requireKey(key);
    return { Bucket: this.config.bucket, Key: this.root + key };
  }

  /** Aborts uploads of processes that died. Not every store lists them, or to every access key. */
  private async abortLeftBehind(): Promise<void> {
    try {
      for await (const { Key, UploadId, Initiated } of this.uploads()) {
        const isOurs = Key === this.root + PROBE || isKey(Key!.slice(this.root.length));
        if (!isOurs || Date.now() - Initiated!.getTime() < LEFT_BEHIND_MS) continue;
        await new S3Upload(this.client, { Bucket: this.config.bucket, Key: Key! }, UploadId).abort();
      }
    } catch (error) {
      this.logger.warn(`cannot remove uploads of processes that died, if any: ${(error as Error).message}`);
    }
  }

  private async *uploads(): AsyncGenerator<MultipartUpload> {
    let next: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (next) {
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
        Bucket: this.config.bucket,
        Prefix: this.root,
        ...next,
      });
      const page = await answerOf(this.client.send(command));
      yield* page.Uploads ?? [];
      next = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined;
    }
  }
}

function clientOf({ region, endpoint, pathStyle, credentials }: S3Config): S3Client {
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials ? { credentials } : {}),
    // Not every store supports the newer checksums; each signed body is checked by its SHA-256 anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5_000,
      /** Limits the time until the answer begins, not how long a client reads it. */
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      // Unlimited, because slow readers hold connections and must not block others.
      httpAgent: { maxSockets: Infinity },
      httpsAgent: { maxSockets: Infinity },
    },
  });
}
