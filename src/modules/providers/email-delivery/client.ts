import type { Failure, ProviderAccess, ProviderNet, SentCall } from '../../integrations/index.ts';
import { ProviderFailure } from '../../integrations/index.ts';
import {
  ask,
  isObject,
  outputOf,
  type ProviderAnswer,
  type ProviderRequest,
  requireShape,
  sendOnce,
} from '../wire/index.ts';
import { EMAIL_HOST } from './manifest.ts';

export interface Domain {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/** The domains of the account; undefined where the key may only send. */
export async function domainsOf(access: ProviderAccess, net: ProviderNet): Promise<readonly Domain[] | undefined> {
  try {
    const answer = await ask(net, { method: 'GET', ...at('/domains', access) }, classify);
    const { body } = answer;
    requireShape(isObject(body) && Array.isArray(body['data']) && body['data'].every(isDomain), answer);
    return (body['data'] as readonly Domain[]).map(({ id, name, status }) => ({
      id,
      name: name.toLowerCase(),
      status,
    }));
  } catch (error) {
    if (error instanceof ProviderFailure && error.failure.reason === RESTRICTED) return undefined;
    throw error;
  }
}

/** Sends a mail, once; the key tells the provider that it is the same one should something on the way repeat it. */
export function sendMail(
  mail: Readonly<Record<string, unknown>>,
  idempotencyKey: string,
  access: ProviderAccess,
  net: ProviderNet,
): Promise<SentCall> {
  const { url, headers } = at('/emails', access);
  const request = {
    method: 'POST',
    url,
    headers: { ...headers, 'idempotency-key': idempotencyKey },
    body: mail,
  } as const;
  return sendOnce(
    net,
    request,
    (answer) => {
      const { body } = answer;
      requireShape(isObject(body) && typeof body['id'] === 'string', answer);
      return outputOf({ id: body['id'] });
    },
    classify,
  );
}

const RESTRICTED = 'restricted_api_key';
/** What the provider's own names mean, where the status alone would say something else. */
const NAMES: Readonly<Record<string, Pick<Failure, 'code' | 'reason'>>> = {
  [RESTRICTED]: { code: 'scope_lost', reason: RESTRICTED },
  missing_api_key: { code: 'credential_refused' },
  invalid_api_key: { code: 'credential_refused' },
  validation_error: { code: 'rejected' },
  daily_quota_exceeded: { code: 'rate_limited', reason: 'daily_quota_exceeded' },
  monthly_quota_exceeded: { code: 'rate_limited', reason: 'monthly_quota_exceeded' },
};

function classify({ status, body }: ProviderAnswer): Partial<Failure> | undefined {
  const name = isObject(body) ? body['name'] : undefined;
  if (status < 400 || status >= 500 || typeof name !== 'string') return undefined;
  return Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
}

function at(path: string, { secret }: ProviderAccess): Pick<ProviderRequest, 'url' | 'headers'> & { url: URL } {
  const apiKey = 'apiKey' in secret ? secret.apiKey : '';
  return { url: new URL(path, `https://${EMAIL_HOST}`), headers: { authorization: `Bearer ${apiKey}` } };
}

function isDomain(value: unknown): value is Domain {
  return isObject(value) && ['id', 'name', 'status'].every((field) => typeof value[field] === 'string');
}
