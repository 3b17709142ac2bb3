import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { answerOf, unlessAbsent } from './s3-errors.ts';

/** Size of a part: only the last may be smaller, and some stores require equal sizes. */
const PART_BYTES = 5 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

/**
 * An upload of unknown length to one key, which holds at most one part in memory. Nothing is visible under the key
 * before `finish`; a caller that cannot finish must call `abort`.
 *
 * Does not use `@aws-sdk/lib-storage` (3.1175), which was tried: it joins pieces into a new buffer per part, so that
 * twenty uploads of 16 MiB at once need 154 MiB more memory (`bytes-on-s3.test.ts` promises less than 80) and a quarter
 * more CPU; and if it cannot abort the parts of a refused upload, it throws that error instead of the refusal.
 */
export class S3Upload {
  private readonly parts: CompletedPart[] = [];
  /** Grows up to a part; reused for the next part after this one is sent. */
  private held = Buffer.alloc(0);
  private heldBytes = 0;

  constructor(
    private readonly client: S3Client,
    private readonly target: { readonly Bucket: string; readonly Key: string },
    private uploadId?: string,
  ) {}

  async begin(abortSignal?: AbortSignal): Promise<void> {
    const creation = this.client.send(new CreateMultipartUploadCommand(this.target), { abortSignal });
    this.uploadId = (await answerOf(creation)).UploadId;
  }

  async add(piece: Buffer): Promise<void> {
    for (let rest = piece; rest.length > 0;) {
      const fitting = rest.subarray(0, PART_BYTES - this.heldBytes);
      this.hold(fitting);
      rest = rest.subarray(fitting.length);
      if (this.heldBytes === PART_BYTES) await this.sendPart();
    }
  }

  /** Completes the upload; bytes that fit into one part need no upload in parts. */
  async finish(): Promise<void> {
    if (this.uploadId === undefined) {
      await answerOf(this.client.send(new PutObjectCommand({ ...this.target, Body: this.take() })));
      return;
    }
    if (this.heldBytes > 0) await this.sendPart();
    const MultipartUpload = { Parts: this.parts };
    const completion = { ...this.target, UploadId: this.uploadId, MultipartUpload };
    await answerOf(this.client.send(new CompleteMultipartUploadCommand(completion)));
  }

  async abort(abortSignal?: AbortSignal): Promise<void> {
    if (this.uploadId === undefined) return;
    const abortion = new AbortMultipartUploadCommand({ ...this.target, UploadId: this.uploadId });
    await unlessAbsent(answerOf(this.client.send(abortion, { abortSignal })));
  }

  private async sendPart(): Promise<void> {
    if (this.uploadId === undefined) await this.begin();
    const part = { ...this.target, UploadId: this.uploadId, PartNumber: this.parts.length + 1 };
    const { ETag } = await answerOf(this.client.send(new UploadPartCommand({ ...part, Body: this.take() })));
    this.parts.push({ PartNumber: part.PartNumber, ETag });
  }

  private hold(piece: Buffer): void {
    const needed = this.heldBytes + piece.length;
    if (needed > this.held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(PART_BYTES, Math.max(needed, 2 * this.held.length, FIRST_BYTES)));
      this.held.copy(larger, 0, 0, this.heldBytes);
      this.held = larger;
    }
    piece.copy(this.held, this.heldBytes);
    this.heldBytes = needed;
  }

  private take(): Buffer {
    const held = this.held.subarray(0, this.heldBytes);
    this.heldBytes = 0;
    return held;
  }
}
