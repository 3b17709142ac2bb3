import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import type { LessonEvidenceDto } from '../runs/index.ts';
import { ofProfile } from './of-profile.ts';

/** Something that a profile has learned, with what it rests on. */
const schema = defineEntity({
  name: 'Lesson',
  tableName: 'lesson',
  properties: {
    ...ofProfile,
    key: p.text().collation('C').primary(),
    lesson: p.text(),
    // Values: tasks stay, artifacts and inbox items may go.
    sourceTaskIds: p.json<string[]>(),
    evidence: p.json<LessonEvidenceDto[]>(),
    humanInboxItemIds: p.json<string[]>(),
    supersedes: p.text().nullable(),
    createdAt: timestamp(),
  },
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class Lesson extends schema.class {}
schema.setClass(Lesson);
