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

/** No part but the last may be smaller, and some stores want them all alike. */
const PART_BYTES = 5 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

/**
 * Bytes of unknown number on their way to one key, of which at most one part is held. Nothing is visible under the key
 * before `finish`; whoever does not get there calls `abort`.
 *
 * Not by `@aws-sdk/lib-storage` (3.1175), which was tried: it joins pieces to a new buffer a part, so that twenty uploads
 * of 16 MiB at once need 154 MiB more memory (`bytes-on-s3.test.ts` promises less than 80) and a quarter more of the
 * processor; and where it cannot abort the parts of what is refused, it throws that instead of the refusal.
 */
export class S3Upload {
  private readonly parts: CompletedPart[] = [];
  /** Grows to a part with what comes; the next part is gathered in it when this one is sent. */
  private held = Buffer.alloc(0);
  private heldBytes = 0;

  constructor(
    private readonly client: S3Client,
    private readonly target: { readonly Bucket: string; readonly Key: string },
    private uploadId?: string,
  ) {}

  async begin(): Promise<void> {
    this.uploadId = (await answerOf(this.client.send(new CreateMultipartUploadCommand(this.target)))).UploadId;
  }

  async add(piece: Buffer): Promise<void> {
    for (let rest = piece; rest.length > 0;) {
      const fitting = rest.subarray(0, PART_BYTES - this.heldBytes);
      this.hold(fitting);
      rest = rest.subarray(fitting.length);
      if (this.heldBytes === PART_BYTES) await this.sendPart();
    }
  }

  /** What fits into one part needs no upload of parts. */
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

  async abort(): Promise<void> {
    if (this.uploadId === undefined) return;
    const abortion = new AbortMultipartUploadCommand({ ...this.target, UploadId: this.uploadId });
    await unlessAbsent(answerOf(this.client.send(abortion)));
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
