import type { ProviderAccess, ProviderNet } from '../../integrations/index.ts';
import {
  ask,
  isObject,
  type JsonObject,
  type ProviderAnswer,
  type ProviderRequest,
  requireShape,
} from '../wire/index.ts';
import { refusalAbout } from './analytics-errors.ts';
import { ADMIN_HOST, DATA_HOST } from './manifest.ts';

/** Of a report for metrics. */
const MOST_REPORT_BYTES = 4 * 1_024 * 1_024;
const MOST_REPORT_VALUES = 400_000;

/** One property as the provider describes it. */
export interface Property {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly timezone: string;
  readonly currency: string;
  readonly isTrashed: boolean;
}

/** How many months the provider keeps what is not aggregated; null where it says something else. */
export interface Retention {
  readonly eventMonths: number | null;
  readonly userMonths: number | null;
}

export interface PropertySummary {
  readonly propertyId: string;
  readonly displayName: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly propertyType: string;
}

const MONTHS: Readonly<Record<string, number>> = {
  TWO_MONTHS: 2,
  FOURTEEN_MONTHS: 14,
  TWENTY_SIX_MONTHS: 26,
  THIRTY_EIGHT_MONTHS: 38,
  FIFTY_MONTHS: 50,
};

/** Asks the two interfaces of the provider. */
export class AnalyticsClient {
  constructor(
    private readonly access: ProviderAccess,
    private readonly net: ProviderNet,
  ) {}

  /** One page of accounts with their properties. */
  async summaries(
    pageSize: number,
    pageToken?: string,
  ): Promise<{ readonly summaries: readonly PropertySummary[]; readonly next: string | undefined }> {
    const url = new URL(`https://${ADMIN_HOST}/v1beta/accountSummaries`);
    url.searchParams.set('pageSize', String(pageSize));
    if (pageToken !== undefined) url.searchParams.set('pageToken', pageToken);
    const answer = await this.asked({ method: 'GET', url });
    const body = objectIn(answer);
    const summaries = listIn(answer, body['accountSummaries']).flatMap((each) => summariesOf(answer, each));
    const next = textOr(body['nextPageToken']);
    return { summaries, next: next === '' ? undefined : next };
  }

  async property(id: string): Promise<Property> {
    const answer = await this.asked({ method: 'GET', url: this.admin(`properties/${id}`) }, id);
    const body = objectIn(answer);
    const { name, account, displayName, timeZone, currencyCode, deleteTime } = body;
    requireShape(
      name === `properties/${id}` && typeof displayName === 'string' && typeof timeZone === 'string',
      answer,
    );
    return {
      id,
      accountId: digitsBehind(answer, 'accounts/', account),
      name: displayName,
      timezone: timeZone,
      currency: textOr(currencyCode),
      isTrashed: deleteTime !== undefined,
    };
  }

  async retention(id: string): Promise<Retention> {
    const answer = await this.asked({ method: 'GET', url: this.admin(`properties/${id}/dataRetentionSettings`) }, id);
    const { eventDataRetention, userDataRetention } = objectIn(answer);
    return {
      eventMonths: MONTHS[textOr(eventDataRetention)] ?? null,
      userMonths: MONTHS[textOr(userDataRetention)] ?? null,
    };
  }

  /** Names of dimensions and metrics, as the provider has them. */
  async metadata(
    id: string,
  ): Promise<{ readonly dimensions: readonly JsonObject[]; readonly metrics: readonly JsonObject[] }> {
    const answer = await this.asked({ method: 'GET', url: this.data(`${id}/metadata`) }, id);
    const { dimensions, metrics } = objectIn(answer);
    return { dimensions: listIn(answer, dimensions), metrics: listIn(answer, metrics) };
  }

  /** A report, or what else the provider answers to its parts. */
  async post(
    id: string,
    method: 'runReport' | 'runRealtimeReport' | 'checkCompatibility',
    body: object,
  ): Promise<ProviderAnswer> {
    return this.asked({ method: 'POST', url: this.data(`${id}:${method}`), body }, id);
  }

  /** A report for metrics, which may be larger than what agents get. */
  async largeReport(id: string, body: object): Promise<ProviderAnswer> {
    const request = { method: 'POST', url: this.data(`${id}:runReport`), body } as const;
    return this.asked({ ...request, maxBytes: MOST_REPORT_BYTES, maxValues: MOST_REPORT_VALUES }, id);
  }

  private admin(path: string): URL {
    return new URL(`https://${ADMIN_HOST}/v1beta/${path}`);
  }

  /** Without white space, which is most of an answer otherwise. */
  private data(path: string): URL {
    return new URL(`https://${DATA_HOST}/v1beta/properties/${path}?prettyPrint=false`);
  }

  private asked(request: ProviderRequest, propertyId?: string): Promise<ProviderAnswer> {
    const { secret } = this.access;
    const headers = secret.kind === 'authorized' ? secret.authorize(request.method, request.url.href) : {};
    return ask(this.net, { ...request, headers }, refusalAbout(propertyId));
  }
}

function summariesOf(answer: ProviderAnswer, account: JsonObject): readonly PropertySummary[] {
  return listIn(answer, account['propertySummaries']).map((each) => ({
    propertyId: digitsBehind(answer, 'properties/', each['property']),
    displayName: textOr(each['displayName']),
    accountId: digitsBehind(answer, 'accounts/', account['account']),
    accountName: textOr(account['displayName']),
    propertyType: textOr(each['propertyType']),
  }));
}

export function objectIn(answer: ProviderAnswer): JsonObject {
  const { body } = answer;
  requireShape(isObject(body), answer);
  return body;
}

/** A list of objects; one that is absent is empty, as the provider leaves out what is. */
export function listIn(answer: ProviderAnswer, list: unknown): readonly JsonObject[] {
  if (list === undefined) return [];
  requireShape(Array.isArray(list) && list.every(isObject), answer);
  return list;
}

export function textOr(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

function digitsBehind(answer: ProviderAnswer, prefix: string, name: unknown): string {
  const digits = typeof name === 'string' && name.startsWith(prefix) ? name.slice(prefix.length) : '';
  requireShape(/^\d{1,20}$/.test(digits), answer);
  return digits;
}
