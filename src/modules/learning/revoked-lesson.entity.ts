import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { ofProfile } from './of-profile.ts';

/** A lesson that an owner took back: neither its key nor its text is learned again. */
const schema = defineEntity({
  name: 'RevokedLesson',
  tableName: 'revoked_lesson',
  properties: {
    ...ofProfile,
    key: p.text().collation('C').primary(),
    lesson: p.text(),
    /** Of the text, as `wordsDigestOf` makes it. */
    digest: p.text(),
    reason: p.text(),
    revokedBy: p.json<{ kind: string; id: string | null; name: string }>(),
    revokedAt: timestamp(),
  },
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class RevokedLesson extends schema.class {}
schema.setClass(RevokedLesson);
