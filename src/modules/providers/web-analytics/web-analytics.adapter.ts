import { isDeepStrictEqual } from 'node:util';
import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import {
  IntegrationIssues,
  type ListedTool,
  type ProviderAccess,
  type ProviderAdapter,
  ProviderFailure,
  type ProviderNet,
  type SavedSettings,
  type ToolCall,
  type ToolOutput,
  type Verified,
  type VerifiedResource,
} from '../../integrations/index.ts';
import { atOnce } from '../wire/index.ts';
import { AnalyticsClient, type Property } from './client.ts';
import { ADMIN_HOST, DATA_HOST, WEB_ANALYTICS } from './manifest.ts';
import { REPORTS } from './reports.ts';
import { type AnalyticsSettings, checkedSettings } from './settings.ts';
import { AT_ONCE, calledTool, isOfProperty, listedTools, scopedCall } from './tools.ts';

/** The least that a property is asked for to prove that its figures can be read. */
const PROBE = {
  dimensions: [],
  metrics: [{ name: 'activeUsers' }],
  dateRanges: [{ startDate: 'yesterday', endDate: 'yesterday' }],
  limit: '1',
};
const LIVE = 'live';

type Observations = Verified['observations'];

/** Properties of web analytics. */
export class WebAnalytics implements ProviderAdapter<AnalyticsSettings> {
  readonly entry = WEB_ANALYTICS;
  readonly hosts = [ADMIN_HOST, DATA_HOST];
  readonly reports = REPORTS;

  /** Who authorized, the authorization tells. Without settings one summary proves the scope; with them every property is asked. */
  async verify(access: ProviderAccess, settings: AnalyticsSettings | null, net: ProviderNet): Promise<Verified> {
    const client = new AnalyticsClient(access, net);
    const observations: Observations = settings
      ? await observed(settings.propertyIds, client)
      : await client.summaries(1).then(() => []);
    return {
      account: { subject: null, label: null },
      details: {},
      resources: [],
      observations: [{ scope: 'credential', status: 'verified' }, ...observations],
    };
  }

  /** Each property must be there, tell its retention and answer a report; else nothing is saved, and the issue names it. */
  async save(
    next: AnalyticsSettings,
    was: AnalyticsSettings | null,
    access: ProviderAccess,
    net: ProviderNet,
  ): Promise<SavedSettings<AnalyticsSettings>> {
    const settings = checkedSettings(next);
    const client = new AnalyticsClient(access, net);
    const resources = await atOnce(settings.propertyIds, AT_ONCE, (id, index) =>
      verifiedProperty(id, `settings.propertyIds.${index}`, client),
    );
    return { settings, resources, material: !isDeepStrictEqual(settings, was), reporting: false };
  }

  tools(settings: AnalyticsSettings | null): readonly ListedTool[] {
    return listedTools(settings);
  }

  scope(tool: ListedTool, args: Readonly<Record<string, unknown>>, settings: AnalyticsSettings | null): ToolCall {
    return scopedCall(tool, args, settings);
  }

  call(call: ToolCall, access: ProviderAccess, net: ProviderNet): Promise<ToolOutput> {
    return calledTool(call, new AnalyticsClient(access, net));
  }
}

async function verifiedProperty(id: string, path: string, client: AnalyticsClient): Promise<VerifiedResource> {
  let property: Property;
  try {
    property = await client.property(id);
    if (!property.isTrashed) {
      await client.retention(id);
      await client.post(id, 'runReport', PROBE);
    }
  } catch (error) {
    if (isRefused(error)) throw invalid(path, IntegrationIssues.providerRejected);
    throw error;
  }
  const { accountId, name, timezone, currency, isTrashed } = property;
  if (isTrashed) throw invalid(path, EdgeIssues.unknownReference, 'is in the trash of its account');
  return { accountId, resourceId: id, name, environment: LIVE, timezone, currency };
}

/** A refusal of this one property: it is gone, not for the person who authorized, or answers no report. */
function isRefused(error: unknown): boolean {
  return isOfProperty(error) || (error instanceof ProviderFailure && error.failure.code === 'rejected');
}

/** What became of each property; what says nothing of a property, such as a refused token, is thrown. */
function observed(ids: readonly string[], client: AnalyticsClient): Promise<Observations> {
  return atOnce(ids, AT_ONCE, async (id): Promise<Observations[number]> => {
    const scope = `resource:${id}`;
    try {
      const { isTrashed } = await client.property(id);
      return isTrashed ? { scope, status: 'failed', code: 'resource_missing' } : { scope, status: 'verified' };
    } catch (error) {
      if (isOfProperty(error)) return { scope, status: 'failed', code: 'resource_missing' };
      throw error;
    }
  });
}
