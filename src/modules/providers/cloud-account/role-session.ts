import type { GetCallerIdentityCommandOutput, STSClient } from '@aws-sdk/client-sts';
import { egressFailureOf } from '../../../kernel/egress/index.ts';
import {
  conflict,
  type FailureCode,
  IntegrationIssues,
  ProviderFailure,
  type ProviderNet,
} from '../../integrations/index.ts';
import { failed, secondsOf } from '../wire/index.ts';
import { hostOf } from './manifest.ts';

/** Of an identity, which is a few hundred bytes. */
const MOST_ANSWER_BYTES = 64 * 1_024;
const SESSION_SECONDS = 900;
const SESSION_NAME = 'business-runner';

/** A key pair of the cloud, and the token of one that is temporary. */
export interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface Role {
  readonly roleArn: string;
  readonly externalId: string;
}

export interface CallerIdentity {
  readonly account: string;
  readonly arn: string;
  readonly userId: string;
}

/** Asks the security token service of a region: one request a method. Nothing is taken from the machine. */
export class RoleSession {
  constructor(
    private readonly region: string,
    private readonly net: ProviderNet,
  ) {}

  async assume(identity: KeyPair, { roleArn, externalId }: Role): Promise<KeyPair> {
    const { AssumeRoleCommand } = await sdk();
    const { Credentials: given } = await this.ask(identity, (client) =>
      client.send(
        new AssumeRoleCommand({
          RoleArn: roleArn,
          RoleSessionName: SESSION_NAME,
          DurationSeconds: SESSION_SECONDS,
          ExternalId: externalId,
        }),
      ),
    );
    const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = given ?? {};
    if (!accessKeyId || !secretAccessKey || !sessionToken) throw failed('bad_answer', { status: 200 });
    return { accessKeyId, secretAccessKey, sessionToken };
  }

  async caller(identity: KeyPair): Promise<CallerIdentity> {
    const { GetCallerIdentityCommand } = await sdk();
    const said: GetCallerIdentityCommandOutput = await this.ask(identity, (client) =>
      client.send(new GetCallerIdentityCommand({})),
    );
    const { Account: account, Arn: arn, UserId: userId } = said;
    const isWhole = /^\d{12}$/.test(account ?? '') && arn !== undefined && userId !== undefined;
    if (!isWhole || arn.length > 2_048 || arn.endsWith(':root')) throw failed('bad_answer', { status: 200 });
    return { account: account!, arn, userId };
  }

  private async ask<T>(credentials: KeyPair, send: (client: STSClient) => Promise<T>): Promise<T> {
    const { STSClient: Client } = await sdk();
    // The SDK keeps it to itself.
    let retryAfter: string | null = null;
    const client = new Client({
      region: this.region,
      endpoint: `https://${hostOf(this.region)}`,
      credentials,
      maxAttempts: 1,
      retryMode: 'standard',
      defaultsMode: 'standard',
      useDualstackEndpoint: false,
      useFipsEndpoint: false,
      requestHandler: {
        handle: async (request: SignedRequest) => {
          const answer = await sendBy(this.net, request);
          retryAfter = answer.response.headers['retry-after'] ?? null;
          return answer;
        },
      },
    });
    try {
      return await send(client);
    } catch (error) {
      throw failureOf(error, secondsOf(retryAfter) ?? null);
    } finally {
      client.destroy();
    }
  }
}

/** Loaded with the first request: it takes longer than all else of the start. */
function sdk() {
  return import('@aws-sdk/client-sts');
}

/** What the SDK hands over to be sent. */
interface SignedRequest {
  readonly hostname: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function sendBy(net: ProviderNet, { hostname, path, method, headers, body }: SignedRequest) {
  const { host: _host, ...sent } = headers;
  const response = await net.fetch(`https://${hostname}${path}`, {
    method,
    headers: sent,
    ...(typeof body === 'string' || body instanceof Uint8Array ? { body: body as string } : {}),
    redirect: 'manual',
    signal: net.signal,
  });
  const { status } = response;
  if (status >= 300 && status < 400) throw failed('bad_answer', { status });
  const answer = new Uint8Array(await response.arrayBuffer());
  if (answer.length > MOST_ANSWER_BYTES) throw failed('bad_answer', { status, reason: 'result_too_large' });
  const type = response.headers.get('content-type') ?? '';
  if (status < 300 && !/^(?:text|application)\/xml\b/.test(type)) throw failed('bad_answer', { status });
  return { response: { statusCode: status, headers: Object.fromEntries(response.headers), body: answer } };
}

/** Codes of the service that say more than their status. */
const CODES: Readonly<Record<string, FailureCode>> = {
  AccessDenied: 'credential_refused',
  AccessDeniedException: 'credential_refused',
  ExpiredToken: 'unavailable',
  ExpiredTokenException: 'unavailable',
  RegionDisabledException: 'rejected',
  Throttling: 'rate_limited',
  ThrottlingException: 'rate_limited',
};
/** The deployment's own identity is no good, or its clock is wrong: nothing that the owner of a role could mend. */
const OF_THE_DEPLOYMENT = new Set(['InvalidClientTokenId', 'SignatureDoesNotMatch', 'RequestTimeTooSkewed']);

function failureOf(error: unknown, retryAfterSeconds: number | null): unknown {
  if (error instanceof ProviderFailure) return error;
  const failure = egressFailureOf(error);
  if (failure?.refusal === 'too_large') return failed('bad_answer', { reason: 'result_too_large' });
  if (failure?.refusal === 'encoded') return failed('bad_answer');
  if (failure) return failed('unavailable', { sent: failure.sent });
  const { name, $metadata: { httpStatusCode: status } = {} } = error as {
    readonly name: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  if (status === undefined || status < 300) return failed('bad_answer', { status: status ?? null });
  if (OF_THE_DEPLOYMENT.has(name)) return conflict(IntegrationIssues.notConfigured);
  return failed(CODES[name] ?? byStatus(status), { status, retryAfterSeconds });
}

function byStatus(status: number): FailureCode {
  if (status === 401) return 'credential_refused';
  if (status === 403) return 'scope_lost';
  if (status === 404) return 'not_found';
  if (status === 429 || status === 420) return 'rate_limited';
  return status === 408 || status >= 500 ? 'unavailable' : 'rejected';
}
