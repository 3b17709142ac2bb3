import { defineEntity } from '@mikro-orm/core';
import { timestamp } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { ofProfile } from './of-profile.ts';

/** A profile was answered, and has yet to learn from it. */
const schema = defineEntity({
  name: 'LearningRefresh',
  tableName: 'learning_refresh',
  properties: {
    ...ofProfile,
    requestedAt: timestamp(),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class LearningRefresh extends schema.class {}
schema.setClass(LearningRefresh);
