import { ADMIN_HOST, DATA_HOST } from '../../../../src/modules/providers/web-analytics/manifest.ts';
import type { Outside } from '../outside.ts';
import {
  type PeerAnswer,
  type PeerRequest,
  requireMembers,
  requireQuery,
  StrictHttpPeer,
  UnknownPart,
} from './strict-http-peer.ts';

export interface FakeProperty {
  readonly account?: string;
  readonly displayName: string;
  readonly timeZone?: string;
  readonly currencyCode?: string;
  readonly deleteTime?: string;
  /** Status with which it is refused. */
  readonly refused?: number;
}

const REPORT_MEMBERS = [
  'dimensions',
  'metrics',
  'dateRanges',
  'dimensionFilter',
  'metricFilter',
  'offset',
  'limit',
  'orderBys',
  'currencyCode',
  'keepEmptyRows',
  'returnPropertyQuota',
];

type Body = Readonly<Record<string, unknown>>;
interface Named {
  readonly name: string;
}

/**
 * The two interfaces of web analytics as the provider's sheet has them, over TLS at their own names. It proves nothing of the
 * real service: which dimensions go together, what is counted, thresholds, quotas and their texts are made up here.
 */
export class AnalyticsPeer extends StrictHttpPeer {
  readonly properties = new Map<string, FakeProperty>();
  /** Rows of the next reports, as texts of dimensions and metrics. */
  rows: readonly (readonly [readonly string[], readonly string[]])[] = [];
  rowCount: number | undefined;
  metadata: Body = { currencyCode: 'EUR', timeZone: 'Europe/Berlin' };
  quota: Body = { tokensPerDay: { consumed: 10, remaining: 199_990 } };
  /** Whether it asks for no token. */
  isOpen = false;
  /** What `metadata` says of the metrics. */
  blocked: readonly string[] = [];

  static async start(outside: Outside): Promise<AnalyticsPeer> {
    const peer = new AnalyticsPeer();
    await outside.host(ADMIN_HOST, peer.answer);
    await outside.host(DATA_HOST, peer.answer);
    return peer;
  }

  protected reply(request: PeerRequest): PeerAnswer {
    if (!this.isOpen && !/^Bearer [^ ]+$/.test(request.headers.authorization ?? ''))
      return refused(401, 'UNAUTHENTICATED');
    return request.host === ADMIN_HOST ? this.admin(request) : this.data(request);
  }

  private admin({ method, path, query }: PeerRequest): PeerAnswer {
    if (method !== 'GET') throw new UnknownPart('only GET is known');
    if (path === '/v1beta/accountSummaries') return this.summaries(query);
    requireQuery(query);
    const [, id = '', rest = ''] = /^\/v1beta\/properties\/(\d+)(\/dataRetentionSettings)?$/.exec(path) ?? [];
    if (id === '') throw new UnknownPart('the path is unknown');
    const property = this.properties.get(id);
    if (!property) return refused(404, 'NOT_FOUND');
    if (property.refused !== undefined) return refused(property.refused, 'PERMISSION_DENIED');
    const name = `properties/${id}`;
    if (rest !== '')
      return {
        body: {
          name: `${name}/dataRetentionSettings`,
          eventDataRetention: 'FOURTEEN_MONTHS',
          userDataRetention: 'TWO_MONTHS',
        },
      };
    const { account = '1000', displayName, timeZone = 'Europe/Berlin', currencyCode = 'EUR', deleteTime } = property;
    return {
      body: {
        name,
        propertyType: 'PROPERTY_TYPE_ORDINARY',
        parent: `accounts/${account}`,
        account: `accounts/${account}`,
        displayName,
        timeZone,
        currencyCode,
        serviceLevel: 'GOOGLE_ANALYTICS_STANDARD',
        ...(deleteTime ? { deleteTime } : {}),
      },
    };
  }

  private summaries(query: URLSearchParams): PeerAnswer {
    requireQuery(query, 'pageSize', 'pageToken');
    const size = Number(query.get('pageSize') ?? '50');
    const from = Number(query.get('pageToken') ?? '0');
    const accounts = Map.groupBy(this.properties, ([, { account = '1000' }]) => account);
    const page = [...accounts].slice(from, from + size).map(([account, properties]) => ({
      name: `accountSummaries/${account}`,
      account: `accounts/${account}`,
      displayName: `Account ${account}`,
      propertySummaries: properties.map(([id, { displayName }]) => ({
        property: `properties/${id}`,
        displayName,
        propertyType: 'PROPERTY_TYPE_ORDINARY',
        parent: `accounts/${account}`,
        canEdit: true,
      })),
    }));
    const next = from + size < accounts.size ? { nextPageToken: String(from + size) } : {};
    return { body: { accountSummaries: page, ...next } };
  }

  private data({ method, path, query, body }: PeerRequest): PeerAnswer {
    requireQuery(query, 'prettyPrint');
    const [, id = '', verb = ''] = /^\/v1beta\/properties\/(\d+)(\/metadata|:\w+)$/.exec(path) ?? [];
    const known = `${method} ${verb}`;
    const property = this.properties.get(id);
    if (!property) return refused(404, 'NOT_FOUND');
    if (property.refused !== undefined) return refused(property.refused, 'PERMISSION_DENIED');
    const asked = body as Body;
    switch (known) {
      case 'GET /metadata':
        return { body: this.names() };
      case 'POST :runReport':
        requireMembers(asked, ...REPORT_MEMBERS);
        return { body: this.report(asked, 'runReport') };
      case 'POST :runRealtimeReport':
        requireMembers(asked, 'dimensions', 'metrics', 'minuteRanges', 'limit', 'returnPropertyQuota');
        return { body: this.report(asked, 'runRealtimeReport') };
      case 'POST :checkCompatibility':
        requireMembers(asked, 'dimensions', 'metrics', 'compatibilityFilter');
        return {
          body: {
            dimensionCompatibilities: [{ dimensionMetadata: { apiName: 'country' }, compatibility: 'COMPATIBLE' }],
            metricCompatibilities: [{ metricMetadata: { apiName: 'sessions' }, compatibility: 'COMPATIBLE' }],
          },
        };
      default:
        throw new UnknownPart('the call is unknown');
    }
  }

  private names(): object {
    const metrics = ['activeUsers', 'sessions', 'purchaseRevenue'].map((apiName) => ({
      apiName,
      uiName: apiName,
      description: `How many ${apiName}`,
      type: 'TYPE_INTEGER',
      blockedReasons: this.blocked.includes(apiName) ? ['NO_REVENUE_METRICS'] : undefined,
    }));
    const dimensions = ['date', 'country', 'customEvent:plan'].map((apiName) => ({
      apiName,
      uiName: apiName,
      description: `By ${apiName}`,
      category: 'Time',
      customDefinition: apiName.includes(':') || undefined,
    }));
    return { name: 'properties/1/metadata', dimensions, metrics, comparisons: [] };
  }

  /** Leaves out what is empty, as the provider does. */
  private report(asked: Body, kind: string): object {
    const ranges = (asked['dateRanges'] ?? asked['minuteRanges'] ?? []) as readonly unknown[];
    const dimensions = ((asked['dimensions'] ?? []) as readonly Named[]).map(({ name }) => ({ name }));
    if (ranges.length > 1) dimensions.push({ name: 'dateRange' });
    const metrics = ((asked['metrics'] ?? []) as readonly Named[]).map(({ name }) => ({ name, type: 'TYPE_INTEGER' }));
    const rows = this.rows.slice(0, Number(asked['limit'] ?? '10000')).map(([ofDimensions, ofMetrics]) => ({
      dimensionValues: ofDimensions.length > 0 ? ofDimensions.map((value) => ({ value })) : undefined,
      metricValues: ofMetrics.map((value) => ({ value })),
    }));
    return {
      ...(dimensions.length > 0 ? { dimensionHeaders: dimensions } : {}),
      metricHeaders: metrics,
      ...(rows.length > 0 ? { rows, rowCount: this.rowCount ?? this.rows.length } : {}),
      ...(kind === 'runReport' ? { metadata: this.metadata } : {}),
      ...(asked['returnPropertyQuota'] === true ? { propertyQuota: this.quota } : {}),
      kind: `analyticsData#${kind}`,
    };
  }
}

function refused(status: number, word: string): PeerAnswer {
  return { status, body: { error: { code: status, message: `CANARY-text ${word}`, status: word } } };
}
