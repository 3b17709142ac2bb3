import type { CatalogEntry } from '../../integrations/index.ts';
import type { FixedTool, Schema } from '../fixed-tools/index.ts';

/** Of a connector. */
export const MOST_PROPERTIES = 50;

export const READ_SCOPE = 'https://www.googleapis.com/auth/analytics.readonly';

/** Figures of websites and apps, which their people connect by authorizing the one scope that reads them. */
export const WEB_ANALYTICS: CatalogEntry = {
  key: 'web-analytics',
  version: 1,
  status: 'active',
  name: 'Web analytics',
  description: 'Reports of Google Analytics 4 properties, read only.',
  connectionType: 'direct',
  purposes: ['web_analytics'],
  credentialKinds: [],
  authorization: 'workspace',
  authorizedScopes: { required: [READ_SCOPE], services: {} },
  fixedReadOnly: true,
  enabledByCredential: false,
  settings: 'required',
  settingsVerified: true,
  hasReportingCredential: false,
  tools: 'fixed',
  defaultDepartments: [],
  inCatalog: true,
};

/** What lists properties, and what counts. */
export const ADMIN_HOST = 'analyticsadmin.googleapis.com';
export const DATA_HOST = 'analyticsdata.googleapis.com';

const PROPERTY_ID = { type: 'string', pattern: '^[0-9]{1,20}$' };

/** What `PUT settings` takes, without the kind. */
export const SETTINGS_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['propertyIds', 'defaultPropertyId'],
  properties: {
    propertyIds: { type: 'array', minItems: 1, maxItems: MOST_PROPERTIES, uniqueItems: true, items: PROPERTY_ID },
    defaultPropertyId: PROPERTY_ID,
  },
};

/** The argument into which the scope is written. */
export const PROPERTY = 'property_id';

const property: Schema = {
  ...PROPERTY_ID,
  description: 'A property of this connector; its default one unless said.',
};
/** Names of dimensions and metrics; custom ones carry a colon. */
const name: Schema = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_:]{0,99}$' };
const names = (minItems: number, maxItems: number, description: string): Schema => ({
  type: 'array',
  minItems,
  maxItems,
  uniqueItems: true,
  items: name,
  description,
});
const day: Schema = {
  type: 'string',
  pattern: '^([0-9]{4}-[0-9]{2}-[0-9]{2}|today|yesterday|[0-9]{1,4}daysAgo)$',
};
const limit: Schema = { type: 'integer', minimum: 1, maximum: 1_000, default: 100 };

/** One node of a filter. Which of its parts go together, and how deep it is, is checked beside the schema. */
const FILTER: Readonly<Record<string, Schema>> = {
  filter: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 2,
    description:
      'Exactly one of and, or, not; or a field with exactly one of string, in, number, between. At most 3 levels of and, or, not above a field, and 20 fields.',
    properties: {
      and: { type: 'array', minItems: 1, maxItems: 10, items: { $ref: '#/$defs/filter' } },
      or: { type: 'array', minItems: 1, maxItems: 10, items: { $ref: '#/$defs/filter' } },
      not: { $ref: '#/$defs/filter' },
      field: name,
      string: {
        type: 'object',
        additionalProperties: false,
        required: ['match', 'value'],
        properties: {
          match: { enum: ['EXACT', 'BEGINS_WITH', 'ENDS_WITH', 'CONTAINS'] },
          value: { type: 'string', maxLength: 500 },
          case_sensitive: { type: 'boolean' },
        },
      },
      in: { type: 'array', minItems: 1, maxItems: 100, items: { type: 'string', maxLength: 500 } },
      number: {
        type: 'object',
        additionalProperties: false,
        required: ['op', 'value'],
        properties: {
          op: { enum: ['EQUAL', 'LESS_THAN', 'LESS_THAN_OR_EQUAL', 'GREATER_THAN', 'GREATER_THAN_OR_EQUAL'] },
          value: { type: 'number' },
        },
      },
      between: {
        type: 'object',
        additionalProperties: false,
        required: ['from', 'to'],
        properties: { from: { type: 'number' }, to: { type: 'number' } },
      },
    },
  },
};
const filter: Schema = { $ref: '#/$defs/filter' };

export const TOOLS: readonly FixedTool[] = [
  {
    name: 'list_properties',
    title: 'List properties',
    description: 'The properties of this connector, with their names, time zones and currencies.',
    access: 'read',
    properties: {},
  },
  {
    name: 'get_metadata',
    title: 'Find dimensions and metrics',
    description:
      'Names, descriptions and categories of the dimensions and metrics of a property, at most 200 of each; blocked metrics always count zero.',
    access: 'read',
    properties: {
      [PROPERTY]: property,
      search: {
        type: 'string',
        minLength: 1,
        maxLength: 100,
        description: 'Leaves only what has this in its name or description, whatever the case.',
      },
    },
  },
  {
    name: 'check_compatibility',
    title: 'Find what goes together',
    description:
      'The dimensions and metrics that can be added to these in one report. These themselves not going together is provider_rejected.',
    access: 'read',
    properties: {
      [PROPERTY]: property,
      dimensions: names(0, 9, 'Names of dimensions'),
      metrics: names(0, 10, 'Names of metrics'),
    },
  },
  {
    name: 'run_report',
    title: 'Run a report',
    description:
      'Rows of metrics by dimensions. Days are those of the property. Values are text, exactly as they were counted; the last two days may still change.',
    access: 'read',
    required: ['metrics', 'date_ranges'],
    properties: {
      [PROPERTY]: property,
      dimensions: names(0, 9, 'Names of dimensions, such as date or country'),
      metrics: names(1, 10, 'Names of metrics, such as activeUsers'),
      date_ranges: {
        type: 'array',
        minItems: 1,
        maxItems: 4,
        description: 'First and last day, each YYYY-MM-DD, today, yesterday or NdaysAgo; of several, rows say which.',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['start', 'end'],
          properties: { start: day, end: day },
        },
      },
      dimension_filter: filter,
      metric_filter: filter,
      order_by: {
        type: 'array',
        minItems: 1,
        maxItems: 3,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name'],
          properties: { name, desc: { type: 'boolean' } },
        },
        description: 'Names of dimensions or metrics of this report',
      },
      limit,
      offset: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
      keep_empty_rows: { type: 'boolean' },
      currency_code: { type: 'string', pattern: '^[A-Z]{3}$' },
    },
    definitions: FILTER,
  },
  {
    name: 'run_realtime_report',
    title: 'Run a realtime report',
    description: 'Rows of metrics by dimensions over the last 30 minutes, or those of the ranges.',
    access: 'read',
    required: ['metrics'],
    properties: {
      [PROPERTY]: property,
      dimensions: names(0, 4, 'Names of realtime dimensions, such as country'),
      metrics: names(1, 10, 'Names of realtime metrics, such as activeUsers'),
      minute_ranges: {
        type: 'array',
        minItems: 1,
        maxItems: 2,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['start_minutes_ago'],
          properties: {
            start_minutes_ago: { type: 'integer', minimum: 0, maximum: 59 },
            end_minutes_ago: { type: 'integer', minimum: 0, maximum: 59, default: 0 },
          },
        },
      },
      limit,
    },
  },
];
