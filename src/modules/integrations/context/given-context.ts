import { ApiError, EdgeErrors, EdgeIssues, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { IntegrationIssues } from '../integration.errors.ts';
import type { OperatingContext, RepositoryResource } from '../integration.state.ts';
import { EMPTY_CONTEXT, type GivenContextDto } from '../operating-context.dto.ts';
import type { StandingConnector } from '../readiness/readiness.service.ts';

const MOST_BYTES = 64 * 1024;

/** A context as it is stored: what is given over what stands (nothing, where it replaces all); 400 at what does not fit. */
export function contextOf(
  given: GivenContextDto,
  before: OperatingContext | null,
  { entry }: StandingConnector,
): OperatingContext {
  const context = merged(given, before ?? EMPTY_CONTEXT);
  const issues = [...purposeIssues(context), ...resourceIssues(context, entry?.connectionType === 'code_host')];
  if (Buffer.byteLength(JSON.stringify(context)) > MOST_BYTES)
    issues.push(issueAt('context', EdgeIssues.tooLarge, `must have at most ${MOST_BYTES} bytes as JSON`));
  if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
  return context;
}

function merged(given: GivenContextDto, before: OperatingContext): OperatingContext {
  const {
    departments = before.departments,
    organizationPurpose = before.organizationPurpose,
    departmentPurposes = before.departmentPurposes,
    policy = before.policy,
    businessFunctions = before.businessFunctions,
    taskPatterns = before.taskPatterns,
    workflowKeys = before.workflowKeys,
    resources = before.resources,
  } = given;
  const named = Object.entries(departmentPurposes).filter(([, text]) => text !== undefined) as [string, string][];
  return {
    departments,
    organizationPurpose,
    departmentPurposes: Object.fromEntries(named),
    policy,
    businessFunctions,
    taskPatterns,
    workflowKeys,
    resources: resources.map(({ kind, externalId, name, url, defaultBranch, departments: of }) => ({
      kind,
      externalId,
      name,
      url,
      defaultBranch,
      departments: of,
    })),
  };
}

function purposeIssues({ departments, departmentPurposes }: OperatingContext): Issue[] {
  return Object.keys(departmentPurposes)
    .filter((department) => !departments.includes(department))
    .map((department) =>
      issueAt(
        `context.departmentPurposes.${department}`,
        EdgeIssues.unknownReference,
        'is of a department that `departments` does not name',
      ),
    );
}

function resourceIssues({ resources }: OperatingContext, isCodeHost: boolean): Issue[] {
  if (resources.length > 0 && !isCodeHost) return [issueAt('context.resources', IntegrationIssues.noResources)];
  return resources.flatMap((resource, index) =>
    isOf(resource) ? [] : [issueAt(`context.resources.${index}.url`, IntegrationIssues.foreignResource)],
  );
}

/** Whether the address is that of the repository which the name says. */
function isOf({ name, url }: RepositoryResource): boolean {
  if (!/^[\w.-]+\/[\w.-]+$/.test(name) || !URL.canParse(url)) return false;
  const { protocol, pathname, search, hash, username } = new URL(url);
  return protocol === 'https:' && pathname === `/${name}` && search === '' && hash === '' && username === '';
}
