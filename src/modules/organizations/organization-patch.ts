import type { UpdateOrganizationDto } from './organization.dto.ts';
import type { Organization } from './organization.entity.ts';
import { normalizeDetails, normalizeDomain } from './organization.policy.ts';
import { type Department, DEPARTMENTS } from './organization.state.ts';

/**
 * Applies a PATCH and names what it changed. A change of who may be reached (`allowedIntegrations`, `blockedDomains`)
 * advances the authorization epoch; another order of the same entries does not.
 */
export function applyPatch(organization: Organization, body: UpdateOrganizationDto): string[] {
  const { config = {}, constraints = {} } = body;
  const { limits = {} } = config;
  const changed: string[] = [];
  const set = <Key extends keyof Organization>(path: string, key: Key, value: Organization[Key] | undefined) => {
    if (value === undefined || JSON.stringify(value) === JSON.stringify(organization[key])) return;
    organization[key] = value;
    changed.push(path);
  };
  const reachBefore = reach(organization);
  const { name, website, timezone, defaultCurrency } = normalizeDetails(body);
  set('name', 'name', name);
  set('website', 'website', website);
  set('timezone', 'timezone', timezone);
  set('defaultCurrency', 'defaultCurrency', defaultCurrency);
  set('config.limits.maxTaskDepth', 'maxTaskDepth', limits.maxTaskDepth);
  set('config.limits.maxPlanOperations', 'maxPlanOperations', limits.maxPlanOperations);
  set('config.limits.maxInitiativeDescendants', 'maxInitiativeDescendants', limits.maxInitiativeDescendants);
  set('config.limits.maxLiveRuns', 'maxLiveRuns', limits.maxLiveRuns);
  set('config.departments', 'enabledDepartments', departmentsAfter(organization, config.departments));
  set('constraints.approvalRequiredForRisk', 'approvalRequiredForRisk', constraints.approvalRequiredForRisk);
  set('constraints.allowedIntegrations', 'allowedIntegrations', constraints.allowedIntegrations);
  set(
    'constraints.blockedDomains',
    'blockedDomains',
    constraints.blockedDomains && domains(constraints.blockedDomains),
  );
  if (reach(organization) !== reachBefore) organization.authorizationEpoch += 1;
  return changed;
}

function reach({ allowedIntegrations, blockedDomains }: Organization): string {
  return JSON.stringify([allowedIntegrations.toSorted(), blockedDomains.toSorted()]);
}

function departmentsAfter(
  { enabledDepartments }: Organization,
  update: { [Key in Department]?: { enabled: boolean } } | undefined,
): Department[] | undefined {
  return update && DEPARTMENTS.filter((key) => update[key]?.enabled ?? enabledDepartments.includes(key));
}

/** Two spellings of one host are one entry. */
function domains(given: readonly string[]): string[] {
  return [...new Set(given.map((domain) => normalizeDomain(domain)!))];
}
