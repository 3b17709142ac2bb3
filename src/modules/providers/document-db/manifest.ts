import type { CatalogEntry } from '../../integrations/index.ts';
import { type FixedTool, FixedTools } from '../fixed-tools/index.ts';

/** A cluster of MongoDB, of which agents read chosen fields of chosen collections. */
export const DOCUMENT_DB: CatalogEntry = {
  key: 'document-db',
  version: 1,
  status: 'active',
  name: 'Document database',
  description: 'Chosen fields of chosen collections of a MongoDB cluster, found by its indexes and counted.',
  connectionType: 'direct',
  purposes: ['data_store'],
  credentialKinds: ['srv'],
  authorization: 'none',
  fixedReadOnly: true,
  enabledByCredential: true,
  settings: 'required',
  settingsVerified: true,
  hasReportingCredential: false,
  tools: 'fixed',
  defaultDepartments: [],
  inCatalog: true,
};

/** Of a path of fields, and of a name of a collection. */
const MOST_CHARACTERS = 255;
const COLLECTION = {
  type: 'string',
  minLength: 1,
  maxLength: MOST_CHARACTERS,
  description: 'As list_collections names it',
};
const FIELD = { type: 'string', minLength: 1, maxLength: MOST_CHARACTERS };
const FILTER = {
  type: 'object',
  maxProperties: 40,
  description: [
    'Conditions by field: a value, or operators $eq $ne $gt $gte $lt $lte (a value), $in $nin (1 to 100 values), $exists, $not;',
    'joined by $and $or $nor (1 to 10 filters, 3 levels). A value is text, a number, true, false, null,',
    '{"$oid": "24 hexadecimal characters"} or {"$date": "2026-03-01T09:30:00Z"}; text is never read as a date or an id.',
    'null also finds documents without the field. A list as value means the whole list, not one of its members: that is $in.',
    'An index must serve the filter, or the call fails with needs_index.',
  ].join(' '),
};

export const TOOLS = [
  {
    name: 'list_collections',
    title: 'List collections',
    description: 'The collections and fields that may be read, with the indexes that serve filters on them.',
    access: 'read',
    properties: {},
  },
  {
    name: 'find_documents',
    title: 'Find documents',
    description:
      'Documents of a collection that match a filter, with the chosen fields as relaxed extended JSON. An index must serve it.',
    access: 'read',
    properties: {
      collection: COLLECTION,
      filter: FILTER,
      fields: {
        type: 'array',
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        items: FIELD,
        description: 'Which of the fields to return; all that may be read unless said',
      },
      sort: {
        type: 'array',
        minItems: 1,
        maxItems: 3,
        items: {
          type: 'object',
          properties: { field: FIELD, direction: { enum: [1, -1] } },
          required: ['field', 'direction'],
          additionalProperties: false,
        },
      },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    },
    required: ['collection'],
  },
  {
    name: 'count_documents',
    title: 'Count documents',
    description: 'How many documents of a collection match a filter, or are there. An index must serve it.',
    access: 'read',
    properties: { collection: COLLECTION, filter: FILTER },
    required: ['collection'],
  },
] as const satisfies readonly FixedTool[];

export const FIXED = new FixedTools(TOOLS);
