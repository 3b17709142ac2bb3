import { UuidCursor, WindowedPageQuery } from '../../kernel/pagination/index.ts';
import {
  Flag,
  Formatted,
  Integer,
  isSlug,
  ListOf,
  Name,
  Nested,
  OneOf,
  PartialUpdate,
  Slug,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import {
  LIVE_RUN_LIMIT,
  normalizeCurrency,
  normalizeDomain,
  normalizeTimezone,
  normalizeWebsite,
} from './organization.policy.ts';
import { type Department, DEPARTMENTS, ORGANIZATION_STATUSES, RISKS, storageRoot } from './organization.state.ts';
import { OrganizationIssues } from './organization.errors.ts';

export class OrganizationParams {
  @Uuid()
  organizationId!: string;
}

export class OrganizationListQuery extends WindowedPageQuery {
  @UuidCursor()
  declare cursor?: string;

  @ListOf(['active', 'onboarding'], { optional: true, description: 'Repeatable' })
  status?: string[];
}

export class DepartmentDto {
  @Flag()
  enabled!: boolean;
}

export class DepartmentsDto implements Record<Department, DepartmentDto> {
  @Nested(() => DepartmentDto)
  growth!: DepartmentDto;
  @Nested(() => DepartmentDto)
  engineering!: DepartmentDto;
  @Nested(() => DepartmentDto)
  support!: DepartmentDto;
}

export class LimitsDto {
  @Integer({ example: 4, description: 'Most levels of tasks below one another' })
  maxTaskDepth!: number;
  @Integer({ example: 25, description: 'Most operations in one plan' })
  maxPlanOperations!: number;
  @Integer({ example: 100, description: 'Most tasks below one root' })
  maxInitiativeDescendants!: number;
  @Integer({ example: LIVE_RUN_LIMIT.default, description: 'Most runs that may be live at once' })
  maxLiveRuns!: number;
}

export class OrganizationConfigDto {
  @Text({ example: 'Europe/Berlin', description: 'IANA zone' })
  timezone!: string;
  @Nested(() => DepartmentsDto)
  departments!: DepartmentsDto;
  @Nested(() => LimitsDto)
  limits!: LimitsDto;
  @Text({ example: 'service://organizations/0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  storageRootUri!: string;
}

const domains = {
  max: 1_000,
  items: {
    schema: { type: 'string', maxLength: 253 },
    what: 'a public host name',
    test: (text: string) => normalizeDomain(text) !== undefined,
  },
};

export class ConstraintsDto {
  @TextList({ example: [], description: 'Connector keys that may be used; empty means all' })
  allowedIntegrations!: string[];
  @TextList({
    ...domains,
    example: ['competitor.example'],
    description: 'Hosts that agents must never contact, subdomains included',
  })
  blockedDomains!: string[];
  @ListOf(RISKS, { example: ['external', 'high'], description: 'Risks of actions that need an owner’s approval' })
  approvalRequiredForRisk!: string[];
}

export class OrganizationDto {
  @Uuid()
  id!: string;
  @Slug({ example: 'acme' })
  slug!: string;
  @Text({ max: 200, example: 'Acme' })
  name!: string;
  @OneOf(ORGANIZATION_STATUSES, { description: '`deleting` only in the answer to the deletion' })
  status!: string;
  @Text({
    nullable: true,
    example: 'https://acme.example',
    description: 'Null until you set it, where the organization began as an onboarding',
  })
  website!: string | null;
  @Text({
    nullable: true,
    example: 'EUR',
    description: 'ISO 4217; null until you set it, where the organization began as an onboarding',
  })
  defaultCurrency!: string | null;
  @Timestamp({ nullable: true })
  onboardedAt!: string | null;
  @Timestamp({ nullable: true, example: null, description: 'When work dispatch was stopped; null while it runs' })
  workDispatchStoppedAt!: string | null;
  @Text({ example: 'service://organizations/0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  rootUri!: string;
  @Integer({ example: 1, description: 'Advances when integration authorization materially changes' })
  authorizationEpoch!: number;
  @Nested(() => OrganizationConfigDto)
  config!: OrganizationConfigDto;
  @Nested(() => ConstraintsDto)
  constraints!: ConstraintsDto;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

const website = {
  test: (text: string) => normalizeWebsite(text) !== undefined,
  issue: OrganizationIssues.invalidWebsite,
  what: 'the address of a public website',
  max: 2_000,
  example: 'https://acme.example',
  description: 'Stored as its https origin',
};
const timezone = {
  test: (text: string) => normalizeTimezone(text) !== undefined,
  issue: OrganizationIssues.invalidTimezone,
  what: 'an IANA time zone',
  max: 100,
  example: 'Europe/Berlin',
  description: 'IANA zone',
};
const currency = {
  test: (text: string) => normalizeCurrency(text) !== undefined,
  issue: OrganizationIssues.invalidCurrency,
  what: 'an ISO 4217 currency code',
  max: 10,
  example: 'EUR',
  description: 'ISO 4217',
};
@PartialUpdate()
export class UpdateDepartmentsDto {
  @Nested(() => DepartmentDto, { optional: true })
  growth?: DepartmentDto;
  @Nested(() => DepartmentDto, { optional: true })
  engineering?: DepartmentDto;
  @Nested(() => DepartmentDto, { optional: true })
  support?: DepartmentDto;
}

@PartialUpdate()
export class UpdateLimitsDto {
  @Integer({ min: 1, max: 20, optional: true, example: 4 })
  maxTaskDepth?: number;
  @Integer({ min: 1, max: 200, optional: true, example: 25 })
  maxPlanOperations?: number;
  @Integer({ min: 1, max: 10_000, optional: true, example: 100 })
  maxInitiativeDescendants?: number;
  @Integer({
    min: LIVE_RUN_LIMIT.min,
    max: LIVE_RUN_LIMIT.max,
    optional: true,
    example: LIVE_RUN_LIMIT.default,
    description:
      'Most runs that may be live at once. A lower one stops nothing: no run starts until fewer are live; a higher one lets claims that wait have work at once',
  })
  maxLiveRuns?: number;
}

export class CreateOrganizationConfigDto {
  @Nested(() => UpdateLimitsDto, { optional: true, description: 'What is left out has its default' })
  limits?: UpdateLimitsDto;
}

export class CreateOrganizationDto {
  @Name({ example: 'Acme' })
  name!: string;
  @Formatted(website)
  website!: string;
  @Formatted(timezone)
  timezone!: string;
  @Formatted(currency)
  defaultCurrency!: string;
  @Nested(() => CreateOrganizationConfigDto, { optional: true })
  config?: CreateOrganizationConfigDto;
}

/** An organization that begins as an onboarding. */
export class CreateOrganizationShellDto {
  @Name({ example: 'Acme' })
  name!: string;
  @Slug({ example: 'acme-tools', description: 'Taken as it is; 409 where another organization has it' })
  slug!: string;
  @Formatted(timezone)
  timezone!: string;
  @ListOf(DEPARTMENTS, { min: 1, max: DEPARTMENTS.length, example: ['growth', 'support'] })
  departments!: Department[];
}

@PartialUpdate()
export class UpdateOrganizationConfigDto {
  @Nested(() => UpdateLimitsDto, { optional: true })
  limits?: UpdateLimitsDto;
  @Nested(() => UpdateDepartmentsDto, { optional: true, description: 'Disabling a department disables its profiles' })
  departments?: UpdateDepartmentsDto;
}

@PartialUpdate()
export class UpdateConstraintsDto {
  @TextList({
    optional: true,
    example: [],
    description: 'Connector keys that may be used; empty means all. A change advances `authorizationEpoch`',
    items: {
      schema: { type: 'string', maxLength: 100 },
      what: 'a connector key: lowercase letters and digits in segments joined by single hyphens',
      test: isSlug,
    },
  })
  allowedIntegrations?: string[];
  @TextList({
    optional: true,
    ...domains,
    example: ['competitor.example'],
    description: 'Hosts that agents must never contact, subdomains included. A change advances `authorizationEpoch`',
  })
  blockedDomains?: string[];
  @ListOf(RISKS, { optional: true, example: ['external', 'high'] })
  approvalRequiredForRisk?: string[];
}

/** Objects are merged one level deep; lists are replaced. */
@PartialUpdate()
export class UpdateOrganizationDto {
  @Name({ optional: true, example: 'Acme' })
  name?: string;
  @Formatted({ ...website, optional: true })
  website?: string;
  @Formatted({ ...timezone, optional: true })
  timezone?: string;
  @Formatted({ ...currency, optional: true })
  defaultCurrency?: string;
  @Nested(() => UpdateOrganizationConfigDto, { optional: true })
  config?: UpdateOrganizationConfigDto;
  @Nested(() => UpdateConstraintsDto, { optional: true })
  constraints?: UpdateConstraintsDto;
}

/** The columns that an organization is shown from. */
export interface OrganizationRow {
  id: string;
  slug: string;
  name: string;
  status: string;
  website: string | null;
  defaultCurrency: string | null;
  timezone: string;
  onboardedAt: string | null;
  workDispatchStoppedAt: string | null;
  authorizationEpoch: number;
  enabledDepartments: string[];
  maxTaskDepth: number;
  maxPlanOperations: number;
  maxInitiativeDescendants: number;
  maxLiveRuns: number;
  allowedIntegrations: string[];
  blockedDomains: string[];
  approvalRequiredForRisk: string[];
  createdAt: string;
  updatedAt: string;
}

export function toOrganization(row: OrganizationRow): OrganizationDto {
  const { id, slug, status, website, defaultCurrency, onboardedAt, workDispatchStoppedAt, authorizationEpoch } = row;
  const { maxTaskDepth, maxPlanOperations, maxInitiativeDescendants, maxLiveRuns } = row;
  const { allowedIntegrations, blockedDomains, approvalRequiredForRisk } = row;
  const enabled = (department: Department) => ({ enabled: row.enabledDepartments.includes(department) });
  const [growth, engineering, support] = DEPARTMENTS.map(enabled) as [DepartmentDto, DepartmentDto, DepartmentDto];
  return {
    id,
    slug,
    name: row.name,
    status,
    website,
    defaultCurrency,
    onboardedAt,
    workDispatchStoppedAt,
    rootUri: storageRoot(id),
    authorizationEpoch,
    config: {
      timezone: row.timezone,
      departments: { growth, engineering, support },
      limits: { maxTaskDepth, maxPlanOperations, maxInitiativeDescendants, maxLiveRuns },
      storageRootUri: storageRoot(id),
    },
    constraints: { allowedIntegrations, blockedDomains, approvalRequiredForRisk },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
