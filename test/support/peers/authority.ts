import 'reflect-metadata';
import { KeyObject, randomUUID, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** What a TLS server needs to prove its names. */
export interface ServerIdentity {
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority of a test, which no machine trusts unless it is told to. */
export class Authority {
  private constructor(
    private readonly keys: webcrypto.CryptoKeyPair,
    private readonly certificate: X509Certificate,
  ) {}

  static async create(): Promise<Authority> {
    const keys = await makeKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: `CN=Authority ${randomUUID()}`,
      keys,
      signingAlgorithm: ALGORITHM,
      ...validity(DAY_MS),
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    });
    return new Authority(keys, certificate);
  }

  get pem(): string {
    return this.certificate.toString('pem');
  }

  /** A certificate for hosts and addresses, which ended already where `lifeMs` is negative. */
  async identity(names: readonly string[], lifeMs = DAY_MS): Promise<ServerIdentity> {
    const { publicKey, privateKey } = await makeKeys();
    const alternatives = names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value }));
    const certificate = await X509CertificateGenerator.create({
      subject: 'CN=Server of a test',
      issuer: this.certificate.subject,
      publicKey,
      signingKey: this.keys.privateKey,
      signingAlgorithm: ALGORITHM,
      ...validity(lifeMs),
      extensions: [new SubjectAlternativeNameExtension(alternatives)],
    });
    const key = KeyObject.from(privateKey).export({ format: 'pem', type: 'pkcs8' });
    return { key, cert: certificate.toString('pem') };
  }
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function validity(lifeMs: number): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(Date.now() - 2 * DAY_MS), notAfter: new Date(Date.now() + lifeMs) };
}
