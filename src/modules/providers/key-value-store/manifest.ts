import type { CatalogEntry } from '../../integrations/index.ts';
import { FixedTools } from '../fixed-tools/index.ts';
import { COLLECTION_READS } from './collection-reads.ts';
import { DOCUMENT_READS } from './document-reads.ts';
import { type KeyValueRead, MOST_COMMANDS } from './key-value-read.ts';
import { STRING_READS } from './string-reads.ts';

/** The store, which owners connect with a token that only reads. */
export const KEY_VALUE_STORE: CatalogEntry = {
  key: 'key-value-store',
  version: 1,
  status: 'active',
  name: 'Key-value store',
  description: 'Reads keys of an Upstash Redis database, all or those with a prefix.',
  connectionType: 'direct',
  purposes: ['key_value_store'],
  credentialKinds: ['rest_token'],
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

export const READS: ReadonlyMap<string, KeyValueRead> = new Map(
  [...STRING_READS, ...COLLECTION_READS, ...DOCUMENT_READS].map((read) => [read.tool.name, read]),
);

export const BATCH = 'upstash_batch';

export const TOOLS = new FixedTools([
  ...[...READS.values()].map(({ tool }) => tool),
  {
    name: BATCH,
    title: 'Read several things at once',
    description: `Carries out reads of other tools in one request and answers each by itself, in their order; together at most ${MOST_COMMANDS} commands.`,
    access: 'read',
    properties: {
      reads: {
        type: 'array',
        minItems: 1,
        maxItems: MOST_COMMANDS,
        items: {
          type: 'object',
          required: ['tool', 'arguments'],
          additionalProperties: false,
          properties: {
            tool: { type: 'string', enum: [...READS.keys()] },
            arguments: { type: 'object', description: 'Those of the tool' },
          },
        },
      },
    },
    required: ['reads'],
  },
]);
