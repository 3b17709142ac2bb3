import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { BasicConstraintsExtension, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
const LIFE_MS = 3_650 * DAY_MS;

/** A key and a certificate for hosts or addresses, in PEM. It is its own authority: who is to trust it is given it. */
export async function selfSigned(...hosts: readonly string[]): Promise<{ key: string; cert: string }> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Receiver on this machine',
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + LIFE_MS),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new SubjectAlternativeNameExtension(
        hosts.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host })),
      ),
    ],
  });
  const key = KeyObject.from(keys.privateKey).export({ format: 'pem', type: 'pkcs8' });
  return { key, cert: certificate.toString('pem') };
}
