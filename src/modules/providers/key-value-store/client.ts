import type { Failure, GivenSecret, ProviderAccess, ProviderNet } from '../../integrations/index.ts';
import { ProviderFailure } from '../../integrations/index.ts';
import { exchange, failureOfStatus, isObject, type ProviderAnswer, requireShape } from '../wire/index.ts';
import type { Command } from './commands.ts';

/** What a command answered, as it came. */
export type Reply =
  { readonly value: unknown } | { readonly failure: Failure; readonly refusedToRun: string | undefined };

/** Speaks the REST interface of a store: whole commands as arrays, strings in base64, so that none is mangled. */
export class KeyValueClient {
  private readonly origin: string;
  private readonly token: string;

  constructor(
    { secret }: ProviderAccess,
    private readonly net: ProviderNet,
  ) {
    const { url = '', token = '' } = secret as GivenSecret;
    this.origin = url;
    this.token = token;
  }

  /** Sends commands in one request and reads a reply for each, in their order. */
  async run(commands: readonly Command[]): Promise<readonly Reply[]> {
    const [only] = commands;
    if (only === undefined) return [];
    if (commands.length > 1) return this.runAll(commands);
    const answer = await this.post('/', only);
    // A command that fails alone is a 400 with what the store says of it.
    if (answer.status === 200 || saysError(answer)) return [replyOf(answer.body, answer)];
    throw failureOf(answer);
  }

  private async runAll(commands: readonly Command[]): Promise<readonly Reply[]> {
    const answer = await this.post('/pipeline', commands);
    const { status, body } = answer;
    if (status !== 200) throw failureOf(answer);
    requireShape(Array.isArray(body) && body.length === commands.length, answer);
    return (body as readonly unknown[]).map((item) => replyOf(item, answer));
  }

  private post(path: '/' | '/pipeline', body: readonly unknown[]): Promise<ProviderAnswer> {
    return exchange(this.net, {
      method: 'POST',
      url: new URL(path, this.origin),
      headers: { authorization: `Bearer ${this.token}`, 'upstash-encoding': 'base64' },
      body,
    });
  }
}

function saysError({ status, body }: ProviderAnswer): boolean {
  return status === 400 && isObject(body) && typeof body['error'] === 'string' && !Object.hasOwn(body, 'result');
}

/** The value of a reply that must be good. */
export function valueOf(reply: Reply): unknown {
  if ('failure' in reply) throw new ProviderFailure(reply.failure);
  return reply.value;
}

function replyOf(item: unknown, answer: ProviderAnswer): Reply {
  requireShape(isObject(item) && Object.hasOwn(item, 'result') !== Object.hasOwn(item, 'error'), answer);
  if (Object.hasOwn(item, 'result')) return { value: item['result'] };
  const { error } = item;
  requireShape(typeof error === 'string', answer);
  return {
    failure: { ...failureOfStatus(answer), code: codeOf(error) },
    refusedToRun: TO_RUN.exec(error)?.[1]?.toUpperCase(),
  };
}

/** Of the two texts with this first word, the one that says that the token may not run a command at all, and which. */
const TO_RUN = /^NOPERM [^']{0,100} run the '([^']{1,32})' command/;

/** What the store says; its texts, which name keys and arguments, stay here. */
function codeOf(error: string): Failure['code'] {
  if (error.startsWith('WRONGPASS')) return 'credential_refused';
  if (error.startsWith('NOPERM')) return 'scope_lost';
  return error.startsWith('ERR max ') ? 'rate_limited' : 'rejected';
}

function failureOf(answer: ProviderAnswer): ProviderFailure {
  const { status, body } = answer;
  const error = isObject(body) ? body['error'] : undefined;
  const isTold =
    status >= 400 && status < 500 && typeof error === 'string' && /^(?:WRONGPASS|NOPERM|ERR max )/.test(error);
  return new ProviderFailure({ ...failureOfStatus(answer), ...(isTold ? { code: codeOf(error) } : {}) });
}
