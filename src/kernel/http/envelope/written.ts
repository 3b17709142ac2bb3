import { Buffer } from 'node:buffer';
import type { Meta } from './envelope.ts';

/**
 * What a handler returns whose `data` is JSON text already, which is sent byte for byte, so that a digest of it holds. It is not
 * held against the documented schema: whoever wrote it did.
 */
export class Written {
  constructor(
    readonly data: Buffer,
    /** Since when it is known to differ from what would be answered now; see `EndpointSpec.restates`. */
    readonly restatedAt?: string | null,
  ) {}

  /** The whole answer. */
  envelope(statusCode: number, message: string, meta: Meta): Buffer {
    const told = this.restatedAt === undefined ? meta : { ...meta, restatedAt: this.restatedAt };
    const head = `{"success":true,"statusCode":${statusCode},"message":${JSON.stringify(message)},"data":`;
    return Buffer.concat([Buffer.from(head), this.data, Buffer.from(`,"meta":${JSON.stringify(told)}}`)]);
  }
}
