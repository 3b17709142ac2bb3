import type { ProviderAccess, ProviderNet, SentCall, ToolOutput } from '../../integrations/index.ts';
import {
  ask,
  isObject,
  type JsonObject,
  type ProviderAnswer,
  type ProviderRequest,
  requireShape,
  sendOnce,
} from '../wire/index.ts';
import { refusalOf } from './workspace-errors.ts';

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;
type Bounds = Pick<ProviderRequest, 'maxBytes' | 'accepts'>;

/** An address of a service; segments of the path are given encoded. */
export function addressOf(host: string, path: string, query: Query = {}): URL {
  const url = new URL(`https://${host}${path}`);
  for (const [name, value] of Object.entries(query))
    for (const each of [value ?? []].flat()) url.searchParams.append(name, each);
  return url;
}

/** Asks the services of the workspace in an account's name. */
export class WorkspaceClient {
  constructor(
    private readonly access: ProviderAccess,
    private readonly net: ProviderNet,
  ) {}

  async get(url: URL, bounds: Bounds = {}): Promise<ProviderAnswer> {
    return ask(this.net, { method: 'GET', url, headers: this.headers('GET', url), ...bounds }, refusalOf);
  }

  /** An object. */
  async read(url: URL, bounds: Bounds = {}): Promise<JsonObject> {
    const answer = await this.get(url, bounds);
    requireShape(isObject(answer.body), answer);
    return answer.body;
  }

  send(url: URL, body: object, read: (answer: ProviderAnswer) => ToolOutput): Promise<SentCall> {
    return sendOnce(this.net, { method: 'POST', url, headers: this.headers('POST', url), body }, read, refusalOf);
  }

  private headers(method: string, url: URL): Readonly<Record<string, string>> {
    const { secret } = this.access;
    return secret.kind === 'authorized' ? secret.authorize(method, url.href) : {};
  }
}

/** A text of an answer; null where there is none. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Objects of a list of an answer, which leaves out what is empty. */
export function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The id of a thing, without which an answer is none. */
export function idIn({ id }: JsonObject, answer: { readonly status: number }): string {
  requireShape(typeof id === 'string' && id !== '', answer);
  return id;
}
