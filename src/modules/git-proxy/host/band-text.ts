const DIGITS = 4;
const PACK_BAND = 1;
const LAST_BAND = 3;

/**
 * Looks in the text that a host says beside a pack for secrets, also where one begins in one line of the wire and ends in
 * another. It reads only the lengths of lines, and their text where it is not of the pack; nothing once the bytes have
 * another framing.
 */
export class BandText {
  private readonly beginnings: readonly Buffer[];
  private readonly longest: number;
  /** The end of what was said, where it may begin a secret. */
  private said: Buffer = Buffer.alloc(0);
  private digits = '';
  /** Of the line that is under way, and which band it is of: undefined before its first byte. */
  private left = 0;
  private band: number | undefined;
  private isOver = false;

  constructor(secrets: readonly Buffer[]) {
    // What was passed on cannot be taken back, so half a secret is one too: nobody guesses the other half.
    this.beginnings = secrets.map((secret) => secret.subarray(0, Math.ceil(secret.length / 2)));
    this.longest = Math.max(0, ...this.beginnings.map(({ length }) => length));
  }

  /** Whether a secret has begun with these bytes. */
  hasSecretWith(bytes: Buffer): boolean {
    let at = 0;
    while (at < bytes.length && !this.isOver) {
      if (this.left === 0) {
        this.takeDigit(bytes[at]!);
        at += 1;
        continue;
      }
      const isFirst = this.band === undefined;
      this.band ??= bytes[at]!;
      const end = Math.min(bytes.length, at + this.left);
      const text = bytes.subarray(isFirst ? at + 1 : at, end);
      this.left -= end - at;
      at = end;
      if (this.isSecret(this.band, text)) return true;
    }
    return false;
  }

  private takeDigit(byte: number): void {
    this.digits += String.fromCharCode(byte);
    if (this.digits.length < DIGITS) return;
    const length = /^[0-9a-f]{4}$/i.test(this.digits) ? Number.parseInt(this.digits, 16) : undefined;
    this.digits = '';
    if (length === undefined) this.isOver = true;
    else this.left = Math.max(0, length - DIGITS);
    this.band = undefined;
  }

  private isSecret(band: number, text: Buffer): boolean {
    if (band <= PACK_BAND || band > LAST_BAND) return false;
    // Ends of lines do not part what a person puts together again.
    const joined = Buffer.concat([this.said, text.filter((byte) => byte > 0x20 && byte < 0x7f)]);
    this.said = joined.subarray(Math.max(0, joined.length - this.longest + 1));
    return this.beginnings.some((beginning) => joined.includes(beginning));
  }
}
