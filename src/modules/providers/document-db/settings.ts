import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { SettingsSchema, StrictSchema } from '../tool-arguments/index.ts';

/** What a connector reaches: fields of collections of one database; nothing is a wildcard. */
export interface DocumentDbSettings {
  readonly databaseName: string;
  readonly collections: readonly CollectionScope[];
  readonly reporting?: {
    /** By collection: the date at which a document came to be. */
    readonly creationFields: Readonly<Record<string, string>>;
  };
}

export interface CollectionScope {
  readonly name: string;
  /** Dotted paths; each stands for all that lies below it. */
  readonly fields: readonly string[];
}

export const MOST_COLLECTIONS = 50;
export const MOST_FIELDS = 200;
export const MOST_LEVELS = 6;

/** Without those that the database itself refuses, and without controls. */
const DATABASE = '^[^/\\\\. "$*<>:|?\\u0000-\\u001f]{1,63}$';
const COLLECTION = '^(?!system\\.)[^$\\u0000-\\u001f]{1,255}$';
const SEGMENT = '(?!__proto__(?:\\.|$))[^.$\\u0000-\\u001f][^.\\u0000-\\u001f]*';
const FIELD = `^${SEGMENT}(?:\\.${SEGMENT}){0,${MOST_LEVELS - 1}}$`;
const IS_FIELD = new RegExp(FIELD, 'u');

const name = { type: 'string', pattern: COLLECTION };
const field = { type: 'string', maxLength: 255, pattern: FIELD };
const SCHEMA = new SettingsSchema<DocumentDbSettings>('document-db', {
  type: 'object',
  properties: {
    databaseName: { type: 'string', pattern: DATABASE },
    collections: {
      type: 'array',
      minItems: 1,
      maxItems: MOST_COLLECTIONS,
      items: {
        type: 'object',
        properties: {
          name,
          fields: { type: 'array', minItems: 1, maxItems: MOST_FIELDS, uniqueItems: true, items: field },
        },
        required: ['name', 'fields'],
        additionalProperties: false,
      },
    },
    reporting: {
      type: 'object',
      properties: {
        creationFields: { type: 'object', maxProperties: MOST_COLLECTIONS, additionalProperties: field },
      },
      required: ['creationFields'],
      additionalProperties: false,
    },
  },
  required: ['databaseName', 'collections'],
  additionalProperties: false,
});
const DATABASE_NAME = new StrictSchema({ type: 'string', pattern: DATABASE });

/** Whether a name in a document can stand in a path of fields. */
export function isField(path: string): boolean {
  return path.length <= 255 && IS_FIELD.test(path);
}

export function checkDatabaseName(value: unknown): string {
  return DATABASE_NAME.checked<string>(value, 'databaseName');
}

/**
 * Settings in their canonical form; 400 at the first part that cannot be right. A choice for reports that an earlier scope
 * had, and a narrower one has no more, goes with it.
 */
export function checkedSettings(given: unknown, was: DocumentDbSettings | null): DocumentDbSettings {
  const { databaseName, collections, reporting } = SCHEMA.checked(given);
  const names = collections.map((collection) => collection.name);
  const twice = names.findIndex((each, index) => names.indexOf(each) !== index);
  if (twice !== -1) throw invalid(`settings.collections.${twice}.name`, EdgeIssues.duplicateItem);
  const chosen = Object.entries(reporting?.creationFields ?? {}).filter(([collection, chosenField]) => {
    const isInScope = collections.some(({ name: each, fields }) => each === collection && fields.includes(chosenField));
    if (!isInScope && was?.reporting?.creationFields[collection] !== chosenField)
      throw invalid(
        `settings.reporting.creationFields.${collection}`,
        EdgeIssues.unknownReference,
        'must be a field of a collection that the settings name',
      );
    return isInScope;
  });
  return {
    databaseName,
    collections,
    ...(chosen.length > 0 ? { reporting: { creationFields: Object.fromEntries(chosen) } } : {}),
  };
}

/** Of a name that the settings do not have, which is nothing that may be read. */
export function scopeOf(settings: DocumentDbSettings | null, collection: string): CollectionScope | undefined {
  return settings?.collections.find(({ name: each }) => each === collection);
}

/** How a collection is called among the resources of a connector. */
export function resourceId({ databaseName }: DocumentDbSettings, collection: string): string {
  return `${databaseName}.${collection}`;
}
