import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { DEPARTMENTS, organizationOwned } from '../organizations/index.ts';
import { type KeptEvidence, ORIGINS, type Revoker, type SourceVersion, VISIBILITIES } from './knowledge.state.ts';

/**
 * A finding, bound to evidence. Nothing of it changes but that it is superseded or revoked, each once. Other records,
 * tasks and runs are values: runs may go before the record.
 */
const schema = defineEntity({
  name: 'Knowledge',
  tableName: 'knowledge',
  properties: {
    ...organizationOwned,
    key: p.text().collation('C'),
    title: p.text(),
    /** The title's words as `search-terms.ts` makes them, for titles that are only similar. */
    titleWords: p.text(),
    finding: p.text(),
    applicability: p.text(),
    procedure: p.array().columnType('text[]').$type<string[]>(),
    visibility: p.enum(VISIBILITIES).columnType('text'),
    department: p.enum(DEPARTMENTS).columnType('text').nullable(),
    requiredConnectorKeys: p.array().columnType('text[]').$type<string[]>(),
    sourceVersions: p.json<SourceVersion[]>(),
    /** What each required connector's source was when it was published, by the connector's key. */
    stamps: p.json<Record<string, string | null>>(),
    evidence: p.json<KeptEvidence[]>(),
    validUntil: timestamp().nullable(),
    origin: p.enum(ORIGINS).columnType('text'),
    authorProfileKey: p.text().nullable(),
    /** The run or turn that published it. */
    executionId: p.uuid().nullable(),
    sourceRunId: p.uuid().nullable(),
    sourceTaskId: p.uuid().nullable(),
    sourceRootTaskId: p.uuid().nullable(),
    /** SHA-256 of the canonical body, by which a publication that is sent again is told. */
    contentDigest: p.text(),
    /** SHA-256 of the finding's words, by which a revoked finding is told. */
    findingDigest: p.text(),
    supersedes: p.uuid().nullable(),
    supersededBy: p.uuid().nullable(),
    supersededAt: timestamp().nullable(),
    revokedAt: timestamp().nullable(),
    revokedBy: p.json<Revoker>().nullable(),
    revocationReason: p.text().nullable(),
    retainedAt: timestamp(),
  },
  uniques: [
    // One head a key: chains never fork.
    {
      name: 'knowledge_head',
      properties: ['organization', 'key'],
      where: 'superseded_by is null and revoked_at is null',
    },
  ],
  indexes: [
    // What lists of what holds walk.
    {
      name: 'knowledge_standing',
      expression:
        'create index knowledge_standing on knowledge (organization_id, id) where superseded_by is null and revoked_at is null',
    },
    {
      name: 'knowledge_titles',
      expression:
        'create index knowledge_titles on knowledge using gin (organization_id, title_words gin_trgm_ops) where superseded_by is null and revoked_at is null',
    },
    {
      name: 'knowledge_of_execution',
      expression:
        'create index knowledge_of_execution on knowledge (organization_id, execution_id, key) where execution_id is not null',
    },
    {
      name: 'knowledge_revoked',
      expression:
        'create index knowledge_revoked on knowledge (organization_id, finding_digest) where revoked_at is not null',
    },
    {
      name: 'knowledge_of_tree',
      expression:
        'create index knowledge_of_tree on knowledge (organization_id, source_root_task_id) where source_root_task_id is not null',
    },
    // Which records name a run's bytes: asked before the bytes go.
    {
      name: 'knowledge_evidence',
      expression: 'create index knowledge_evidence on knowledge using gin (organization_id, evidence jsonb_path_ops)',
    },
  ],
  checks: [
    { name: 'knowledge_superseded', expression: '(superseded_by is null) = (superseded_at is null)' },
    {
      name: 'knowledge_revocation',
      expression: '(revoked_at is null) = (revoked_by is null) and (revoked_at is null) = (revocation_reason is null)',
    },
    { name: 'knowledge_of_department', expression: `visibility <> 'department' or department is not null` },
  ],
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class Knowledge extends schema.class {}
schema.setClass(Knowledge);
