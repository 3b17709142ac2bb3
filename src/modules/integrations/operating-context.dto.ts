import { ListOf, Nested, NestedList, OneOf, Text, TextList } from '../../kernel/validation/index.ts';
import { type Department, DEPARTMENTS } from '../organizations/index.ts';
import type { OperatingContext, RepositoryResource } from './integration.state.ts';

const LONGEST_TEXT = 4_000;
const MOST_ITEMS = 50;
const MOST_RESOURCES = 200;

const LONG_ITEMS = {
  schema: { type: 'string', minLength: 1, maxLength: LONGEST_TEXT },
  what: `text of 1 to ${LONGEST_TEXT} characters`,
  test: (text: string) => text.length > 0 && [...text].length <= LONGEST_TEXT,
};

const EXAMPLES = {
  organizationPurpose: 'Where customers order, and where we see what was paid',
  policy: 'Never refund without asking support first.',
  businessFunctions: ['Order handling'],
  taskPatterns: ['Answer where an order is'],
  workflowKeys: ['order-status'],
};

function Departments(options: { readonly optional?: boolean } = {}): PropertyDecorator {
  return ListOf(DEPARTMENTS, { ...options, max: DEPARTMENTS.length, example: ['support'] });
}

/** What each of the connector's departments uses it for. */
export class DepartmentPurposesDto implements Partial<Record<Department, string>> {
  @Text({ max: LONGEST_TEXT, optional: true, example: 'Sees which campaigns led to orders' })
  growth?: string;
  @Text({ max: LONGEST_TEXT, optional: true, example: 'Looks at orders that failed' })
  engineering?: string;
  @Text({ max: LONGEST_TEXT, optional: true, example: 'Answers customers who ask for their orders' })
  support?: string;
}

export class RepositoryResourceDto {
  @OneOf(['repository'])
  kind!: 'repository';
  @Text({ max: 200, example: '81234567' })
  externalId!: string;
  @Text({ max: 200, example: 'acme/shop', description: 'Owner and name' })
  name!: string;
  @Text({ max: 2_000, example: 'https://github.com/acme/shop' })
  url!: string;
  @Text({ max: 200, example: 'main' })
  defaultBranch!: string;
  @Departments()
  departments!: Department[];
}

/** What an organization uses a connector for. It describes and never authorizes. */
export class OperatingContextDto {
  @Departments()
  departments!: string[];
  @Text({ min: 0, nullable: true, example: EXAMPLES.organizationPurpose })
  organizationPurpose!: string | null;
  @Nested(() => DepartmentPurposesDto)
  departmentPurposes!: DepartmentPurposesDto;
  @Text({ min: 0, nullable: true, example: EXAMPLES.policy })
  policy!: string | null;
  @TextList({ example: EXAMPLES.businessFunctions })
  businessFunctions!: string[];
  @TextList({ example: EXAMPLES.taskPatterns })
  taskPatterns!: string[];
  @TextList({ example: EXAMPLES.workflowKeys })
  workflowKeys!: string[];
  @NestedList(() => RepositoryResourceDto)
  resources!: RepositoryResourceDto[];
}

/** The fields that agents may give, too. */
export class UsageContextDto {
  @Text({ max: LONGEST_TEXT, optional: true, nullable: true, example: EXAMPLES.organizationPurpose })
  organizationPurpose?: string | null;
  @Nested(() => DepartmentPurposesDto, { optional: true, example: { support: 'Answers customers' } })
  departmentPurposes?: DepartmentPurposesDto;
  @Text({ max: LONGEST_TEXT, optional: true, nullable: true, example: EXAMPLES.policy })
  policy?: string | null;
  @TextList({ max: MOST_ITEMS, items: LONG_ITEMS, optional: true, example: EXAMPLES.businessFunctions })
  businessFunctions?: string[];
  @TextList({ max: MOST_ITEMS, items: LONG_ITEMS, optional: true, example: EXAMPLES.taskPatterns })
  taskPatterns?: string[];
  @TextList({ max: MOST_ITEMS, optional: true, example: EXAMPLES.workflowKeys })
  workflowKeys?: string[];
  @NestedList(() => RepositoryResourceDto, {
    max: MOST_RESOURCES,
    optional: true,
    description: 'Only of the code host',
    example: [],
  })
  resources?: RepositoryResourceDto[];
}

export class GivenContextDto extends UsageContextDto {
  @Departments({ optional: true })
  departments?: Department[];
}

/** A context of which nobody has said anything. */
export const EMPTY_CONTEXT: OperatingContext = {
  departments: [],
  organizationPurpose: null,
  departmentPurposes: {},
  policy: null,
  businessFunctions: [],
  taskPatterns: [],
  workflowKeys: [],
  resources: [],
};

export function toOperatingContext(context: OperatingContext | null): OperatingContextDto {
  const { departments, departmentPurposes, businessFunctions, taskPatterns, workflowKeys, resources, ...texts } = {
    ...EMPTY_CONTEXT,
    ...context,
  };
  return {
    ...texts,
    departments: [...departments],
    departmentPurposes: { ...departmentPurposes },
    businessFunctions: [...businessFunctions],
    taskPatterns: [...taskPatterns],
    workflowKeys: [...workflowKeys],
    resources: resources.map(toResource),
  };
}

function toResource(resource: RepositoryResource): RepositoryResourceDto {
  return { ...resource, departments: [...resource.departments] as Department[] };
}
