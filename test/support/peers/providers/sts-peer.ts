import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Outside } from '../outside.ts';

export interface StsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The identity of the deployment. */
export const BASE_KEYS: StsKeys = { accessKeyId: 'AKIACANARYBASE000001', secretAccessKey: 'CANARY-base-secret' };
export const OWN_ACCOUNT = '999999999999';

/** A role, and which external ids its trust policy takes; undefined for any, and none. */
interface TrustingRole {
  readonly externalId?: RegExp;
  /** The account that it says that it is of, where that is another one. */
  readonly saysAccount?: string;
}

type Answering = (action: string, response: ServerResponse) => unknown;

/**
 * The security token service of some regions, as its documents describe it: two actions, XML, and signatures that are made anew
 * with the SDK's own signer. What it does not know is a fault and a 400. It proves nothing of real trust policies, session
 * policies, clocks or partitions.
 */
export class StsPeer {
  readonly faults: string[] = [];
  /** Actions so far, with the region and the external id. */
  readonly asked: string[] = [];
  readonly roles = new Map<string, TrustingRole>();
  answering: Answering | undefined;
  private readonly sessions = new Map<string, { readonly keys: StsKeys; readonly roleArn: string }>();

  static async start(outside: Outside, regions: readonly string[]): Promise<StsPeer> {
    const peer = new StsPeer();
    for (const region of regions)
      await outside.host(`sts.${region}.amazonaws.com`, (request, response) => peer.receive(region, request, response));
    return peer;
  }

  private receive(region: string, request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => void this.answer(region, request, body, response));
  }

  private async answer(region: string, request: IncomingMessage, body: string, response: ServerResponse) {
    const given = new URLSearchParams(body);
    const action = given.get('Action') ?? '';
    const externalId = given.get('ExternalId');
    this.asked.push(`${action} ${region}${externalId === null ? '' : ` ${externalId}`}`);
    if (this.answering?.(action, response) === true) return;
    const keyId = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const keys = keyId === BASE_KEYS.accessKeyId ? BASE_KEYS : this.sessions.get(keyId)?.keys;
    if (!keys) return this.refuse(response, 403, 'InvalidClientTokenId');
    if (!(await isSigned(region, request, body, keys))) {
      this.faults.push(`a signature for ${action}`);
      return this.refuse(response, 403, 'SignatureDoesNotMatch');
    }
    const known = new Set(['Action', 'Version', 'RoleArn', 'RoleSessionName', 'ExternalId', 'DurationSeconds']);
    const isKnown = request.method === 'POST' && request.url === '/' && given.get('Version') === '2011-06-15';
    const others = [...given.keys()].filter((name) => !known.has(name));
    if (!isKnown || others.length > 0) {
      this.faults.push(`${request.method} ${request.url} ${others.join()}`);
      return this.refuse(response, 400, 'ValidationError');
    }
    if (action === 'AssumeRole') return this.assume(given, keys, response);
    if (action === 'GetCallerIdentity') return this.identify(keyId, response);
    this.faults.push(action);
    return this.refuse(response, 400, 'InvalidAction');
  }

  private assume(given: URLSearchParams, keys: StsKeys, response: ServerResponse): void {
    const roleArn = given.get('RoleArn')!;
    const role = this.roles.get(roleArn);
    const isTrusted = role && (role.externalId?.test(given.get('ExternalId') ?? '') ?? true);
    if (!isTrusted || keys !== BASE_KEYS) return this.refuse(response, 403, 'AccessDenied');
    const accessKeyId = `ASIACANARY${String(this.sessions.size).padStart(10, '0')}`;
    const session = { accessKeyId, secretAccessKey: `CANARY-session-${accessKeyId}`, sessionToken: 'CANARY-token' };
    this.sessions.set(accessKeyId, { keys: session, roleArn });
    this.send(
      response,
      200,
      `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${session.secretAccessKey}</SecretAccessKey><SessionToken>${session.sessionToken}</SessionToken><Expiration>2026-12-31T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    );
  }

  private identify(keyId: string, response: ServerResponse): void {
    const roleArn = this.sessions.get(keyId)?.roleArn;
    const [, account = OWN_ACCOUNT, name = ''] = /^arn:aws:iam::(\d{12}):role\/(.*)$/.exec(roleArn ?? '') ?? [];
    const said = (roleArn === undefined ? undefined : this.roles.get(roleArn)?.saysAccount) ?? account;
    const arn =
      roleArn === undefined ? `arn:aws:iam::${account}:user/runner` : `arn:aws:sts::${said}:assumed-role/${name}/s`;
    this.send(
      response,
      200,
      `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>${arn}</Arn><UserId>AROAEXAMPLE:s</UserId><Account>${said}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
    );
  }

  refuse(response: ServerResponse, status: number, code: string): void {
    const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>CANARY-message</Message></Error>`;
    this.send(response, status, `<ErrorResponse>${error}<RequestId>r</RequestId></ErrorResponse>`);
  }

  private send(response: ServerResponse, status: number, text: string): void {
    response.writeHead(status, { 'content-type': 'text/xml' }).end(text);
  }
}

/** Signs the request anew as it came, and compares. */
async function isSigned(
  region: string,
  request: IncomingMessage,
  body: string,
  credentials: StsKeys,
): Promise<boolean> {
  const { authorization = '', ...headers } = request.headers;
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const date = String(headers['x-amz-date']);
  if (!names.includes('host') || !names.includes('x-amz-date')) return false;
  const signer = new SignatureV4({ credentials, region, service: 'sts', sha256: Sha256 });
  const [year, rest] = [date.slice(0, 4), date.slice(4)];
  const at = `${year}-${rest.slice(0, 2)}-${rest.slice(2, 4)}T${rest.slice(5, 7)}:${rest.slice(7, 9)}:${rest.slice(9, 11)}Z`;
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: String(headers.host),
      path: request.url!,
      query: {},
      headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
      body,
    },
    { signingDate: new Date(at) },
  );
  return signed.headers['authorization'] === authorization;
}

/** The digest that the signer asks for. */
class Sha256 {
  private readonly hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac('sha256', typeof secret === 'string' ? secret : Buffer.from(secret as ArrayBuffer));
  }

  update(data: Uint8Array | string): void {
    this.hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.hash.digest()));
  }

  reset(): void {
    throw new Error('The signer does not ask for this.');
  }
}
