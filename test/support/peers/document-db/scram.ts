import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

const ITERATIONS = 15_000;

/** The server's side of SCRAM-SHA-256 (RFC 7677) for one login. */
export class ScramExchange {
  private readonly serverFirst: string;
  private readonly clientFirst: string;
  private readonly salt = randomBytes(16);
  readonly username: string;

  /** With the client's first message. */
  constructor(first: string) {
    this.clientFirst = first.replace(/^n,,/, '');
    const { n = '', r = '' } = partsOf(this.clientFirst);
    this.username = n.replaceAll('=2C', ',').replaceAll('=3D', '=');
    this.serverFirst = `r=${r}${randomBytes(18).toString('base64')},s=${this.salt.toString('base64')},i=${ITERATIONS}`;
  }

  get answer(): string {
    return this.serverFirst;
  }

  /** The server's proof, where the client's is one of this password; else undefined. */
  finish(final: string, password: string): string | undefined {
    const { p: proof = '' } = partsOf(final);
    const message = [this.clientFirst, this.serverFirst, final.replace(/,p=.*$/, '')].join(',');
    const salted = pbkdf2Sync(password, this.salt, ITERATIONS, 32, 'sha256');
    const clientKey = hmac(salted, 'Client Key');
    const signature = hmac(createHash('sha256').update(clientKey).digest(), message);
    const expected = clientKey.map((byte, index) => byte ^ signature[index]!);
    const given = Buffer.from(proof, 'base64');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return `v=${hmac(hmac(salted, 'Server Key'), message).toString('base64')}`;
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function partsOf(message: string): Readonly<Record<string, string>> {
  return Object.fromEntries(message.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}
