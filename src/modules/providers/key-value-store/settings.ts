import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { SettingsSchema } from '../tool-arguments/index.ts';

/** Which keys agents reach, and which of them reports read. */
export interface KeyValueSettings {
  readonly scope: KeyScope;
  readonly reporting?: { readonly keys: readonly ReportingKey[] };
}

export type KeyScope = { readonly mode: 'all' } | { readonly mode: 'prefix'; readonly prefix: string };

export interface ReportingKey {
  readonly key: string;
  readonly type: 'numeric' | 'collection';
  readonly label?: string;
}

export const MOST_KEY_BYTES = 1_024;
const MOST_PREFIX_BYTES = 512;

const schema = new SettingsSchema<KeyValueSettings>('key-value-store', {
  type: 'object',
  required: ['scope'],
  additionalProperties: false,
  properties: {
    scope: {
      type: 'object',
      required: ['mode'],
      additionalProperties: false,
      properties: {
        mode: { type: 'string', enum: ['all', 'prefix'] },
        prefix: { type: 'string', minLength: 1, maxLength: MOST_PREFIX_BYTES },
      },
    },
    reporting: {
      type: 'object',
      required: ['keys'],
      additionalProperties: false,
      properties: {
        keys: {
          type: 'array',
          maxItems: 100,
          items: {
            type: 'object',
            required: ['key', 'type'],
            additionalProperties: false,
            properties: {
              key: { type: 'string', minLength: 1, maxLength: MOST_KEY_BYTES },
              type: { type: 'string', enum: ['numeric', 'collection'] },
              label: { type: 'string', minLength: 1, maxLength: 100 },
            },
          },
        },
      },
    },
  },
});

/**
 * The settings in their one form. Choices for reports that a narrower scope leaves out are dropped where they were saved
 * before; 400 at whatever cannot be meant.
 */
export function checkedSettings(given: unknown, was: KeyValueSettings | null): KeyValueSettings {
  const { scope, reporting } = schema.checked(given);
  requireScope(scope);
  const known = new Set(was?.reporting?.keys.map(({ key }) => key));
  const seen = new Set<string>();
  const keys = reporting?.keys.filter(({ key, label = '' }, index) => {
    const path = `settings.reporting.keys.${index}`;
    requireText(key, MOST_KEY_BYTES, `${path}.key`);
    requireText(label, MOST_KEY_BYTES, `${path}.label`);
    if (seen.has(key)) throw invalid(`${path}.key`, EdgeIssues.duplicateItem);
    seen.add(key);
    if (isInScope(key, scope)) return true;
    if (known.has(key) && was !== null && isInScope(key, was.scope)) return false;
    throw invalid(`${path}.key`, EdgeIssues.unknownReference, 'must begin with the prefix of the scope');
  });
  return { scope, ...(keys === undefined ? {} : { reporting: { keys } }) };
}

/** Compared as bytes: both texts are whole, so one begins with the other in UTF-8 where it does as they stand. */
export function isInScope(key: string, scope: KeyScope): boolean {
  return scope.mode === 'all' || key.startsWith(scope.prefix);
}

/** Refuses what UTF-8 has no bytes for, and what has too many. */
export function requireText(text: string, mostBytes: number, path: string): void {
  if (!text.isWellFormed()) throw invalid(path, EdgeIssues.invalidText);
  if (Buffer.byteLength(text) > mostBytes)
    throw invalid(path, EdgeIssues.invalidLength, `must have at most ${mostBytes} bytes in UTF-8`);
}

function requireScope(scope: { readonly mode: string; readonly prefix?: string }): void {
  const { mode, prefix } = scope;
  if (mode === 'all' && prefix !== undefined)
    throw invalid('settings.scope.prefix', EdgeIssues.notOfKind, 'does not belong to a scope of all keys');
  if (mode !== 'prefix') return;
  if (prefix === undefined) throw invalid('settings.scope.prefix', EdgeIssues.required);
  requireText(prefix, MOST_PREFIX_BYTES, 'settings.scope.prefix');
}
