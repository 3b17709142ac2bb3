import { BandText } from './band-text.ts';

/** Shorter ones would be found where nobody put them. */
const LEAST_BYTES = 8;

/**
 * Looks in what a host answers for what it was asked with, across the pieces in which it comes: a host that says a token
 * back must not be believed to be one.
 */
export class EchoGuard {
  private readonly secrets: readonly Buffer[];
  /** The end of what came, where it may be the beginning of a secret. */
  private kept: Buffer = Buffer.alloc(0);
  private isEcho = false;
  private readonly text: BandText | undefined;

  /** `hasBands` where its text may come in lines between those of a pack. */
  constructor(secrets: readonly string[], hasBands = false) {
    this.secrets = secrets.map((secret) => Buffer.from(secret)).filter(({ length }) => length >= LEAST_BYTES);
    this.text = hasBands ? new BandText(this.secrets) : undefined;
  }

  get hasHeard(): boolean {
    return this.isEcho;
  }

  /** What was held back, once nothing more comes. */
  get rest(): Buffer {
    return this.kept;
  }

  /** What of the bytes so far holds no secret, which may be nothing. Throws at the first one, without a byte of it. */
  safe(piece: Uint8Array): Buffer {
    const came = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const bytes = this.kept.length > 0 ? Buffer.concat([this.kept, came]) : came;
    this.isEcho = this.secrets.some((secret) => bytes.includes(secret)) || this.text?.hasSecretWith(came) === true;
    if (this.isEcho) throw new Error('The host says back what it was asked with.');
    const begun = Math.max(0, ...this.secrets.map((secret) => begunAtEnd(bytes, secret)));
    this.kept = Buffer.from(bytes.subarray(bytes.length - begun));
    return bytes.subarray(0, bytes.length - begun);
  }
}

/** How many bytes at the end are the beginning of a secret. */
function begunAtEnd(bytes: Buffer, secret: Buffer): number {
  const from = Math.max(0, bytes.length - secret.length + 1);
  for (let at = bytes.indexOf(secret[0]!, from); at !== -1; at = bytes.indexOf(secret[0]!, at + 1))
    if (bytes.subarray(at).equals(secret.subarray(0, bytes.length - at))) return bytes.length - at;
  return 0;
}
