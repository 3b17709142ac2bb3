import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { type Department, DEPARTMENTS, organizationOwned } from '../../organizations/index.ts';
import { SOURCE_KINDS } from '../onboarding.state.ts';
import type { SourceResult } from '../source-result.ts';

/** A file or note that an owner gave to an onboarding, under an id of the client's own, and what its review found. */
const schema = defineEntity({
  name: 'OnboardingSource',
  tableName: 'onboarding_source',
  properties: {
    ...organizationOwned,
    kind: p.enum(SOURCE_KINDS).columnType('text'),
    fileName: p.text(),
    mediaType: p.text(),
    sizeBytes: p.bigint('number').columnType('bigint'),
    /** 64 hexadecimal characters. */
    sha256: p.text(),
    /** Only this department's; everybody's where there is none. */
    department: p.enum(DEPARTMENTS).columnType('text').$type<Department>().nullable(),
    /** The upload that brought the bytes, by which the object store has them. */
    uploadId: p.uuid(),
    /** Of the record that the source becomes; the review writes the record's passages. */
    knowledgeId: p.uuid(),
    /** Processes that began to read it since it was last read. */
    deaths: p.integer().default(0),
    /** With whose result: another version reads it anew. */
    extractorVersion: p.text().nullable(),
    result: p.json().$type<SourceResult>().nullable(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class OnboardingSource extends schema.class {}
schema.setClass(OnboardingSource);
