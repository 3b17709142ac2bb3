import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { DEPARTMENTS, Organization } from '../organizations/index.ts';
import { ORIGINS, VISIBILITIES } from './knowledge.state.ts';

/**
 * What searches find: one row a record, several for material, each with copies of what decides who may read it and whether
 * it holds. Passages of material are written before their record, and are not seen until it exists.
 */
const schema = defineEntity({
  name: 'KnowledgePassage',
  tableName: 'knowledge_passage',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    knowledgeId: p.uuid().primary(),
    ordinal: p.integer().primary(),
    /** Null where it is the record's finding. */
    text: p.text().nullable(),
    terms: p.text().columnType('tsvector'),
    /** Whether its record is neither superseded nor revoked; in no index, so that its change is cheap. */
    live: p.boolean(),
    origin: p.enum(ORIGINS).columnType('text'),
    visibility: p.enum(VISIBILITIES).columnType('text'),
    department: p.enum(DEPARTMENTS).columnType('text').nullable(),
    requiredConnectorKeys: p.array().columnType('text[]').$type<string[]>(),
    stamps: p.json<Record<string, string | null>>(),
    validUntil: timestamp().nullable(),
  },
  indexes: [
    // Without a list of what is yet to be sorted in: searches cost the same behind many publications.
    {
      name: 'knowledge_passage_terms',
      expression:
        'create index knowledge_passage_terms on knowledge_passage using gin (organization_id, terms) with (fastupdate = off)',
    },
  ],
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class KnowledgePassage extends schema.class {}
schema.setClass(KnowledgePassage);
