import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { S3Config } from '../../../src/config/index.ts';

export const ACCESS_KEY = { id: 'CANARYKEY', secret: 'CANARY-s3-Zt5vL9qW2nX7' };

/** A store that speaks S3, in a process of its own, and a look at what is in it. */
export class S3Peer {
  private readonly client: S3Client;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    const credentials = { accessKeyId: ACCESS_KEY.id, secretAccessKey: ACCESS_KEY.secret };
    this.client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials });
  }

  static async start(): Promise<S3Peer> {
    const program = new URL('s3-peer-child.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [program, ACCESS_KEY.id], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'exit')])) as [string];
    return new S3Peer(child, (JSON.parse(line) as { url: string }).url);
  }

  /** A bucket of its own, as the configuration names it. */
  async bucket(prefix = ''): Promise<S3Config> {
    const bucket = `bucket-${randomUUID()}`;
    await this.client.send(new CreateBucketCommand({ Bucket: bucket }));
    const credentials = { accessKeyId: ACCESS_KEY.id, secretAccessKey: ACCESS_KEY.secret };
    return { bucket, prefix, region: 'us-east-1', endpoint: this.url, pathStyle: true, credentials };
  }

  /** A bucket as the environment of a service names it. */
  async environment(): Promise<Record<string, string>> {
    const { bucket } = await this.bucket();
    return {
      OBJECT_STORE_DIR: '',
      OBJECT_STORE_S3_BUCKET: bucket,
      OBJECT_STORE_S3_ENDPOINT: this.url,
      OBJECT_STORE_S3_ACCESS_KEY_ID: ACCESS_KEY.id,
      OBJECT_STORE_S3_SECRET_ACCESS_KEY: ACCESS_KEY.secret,
    };
  }

  async removeBucket(bucket: string): Promise<void> {
    await this.client.send(new DeleteBucketCommand({ Bucket: bucket }));
  }

  async keys(bucket: string): Promise<string[]> {
    const { Contents = [] } = await this.client.send(new ListObjectsV2Command({ Bucket: bucket }));
    return Contents.map(({ Key }) => Key!).sort();
  }

  /** Keys of uploads of parts that are neither completed nor aborted. */
  async uploads(bucket: string): Promise<string[]> {
    const { Uploads = [] } = await this.client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
    return Uploads.map(({ Key }) => Key!).sort();
  }

  /** Of all bodies so far. */
  async takenBytes(): Promise<number> {
    const answer = await fetch(`${this.url}/-/taken`);
    return ((await answer.json()) as { takenBytes: number }).takenBytes;
  }

  async stop(): Promise<void> {
    this.client.destroy();
    this.child.stdin!.end();
    await once(this.child, 'exit');
  }
}
