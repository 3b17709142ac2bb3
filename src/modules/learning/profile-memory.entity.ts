import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { ofProfile } from './of-profile.ts';

/** How far a profile has learned, from its first cycle on; the lessons are rows of their own. */
const schema = defineEntity({
  name: 'ProfileMemory',
  tableName: 'profile_memory',
  properties: {
    ...ofProfile,
    /** Rises with every change of the lessons. */
    revision: p.integer(),
    /** What the last cycle made it. Those behind it are an owner's revocations, which no cycle need have seen. */
    learnedRevision: p.integer(),
    // A value with its position: the task may be retried, so that it has none.
    watermarkTaskId: p.uuid().nullable(),
    watermarkAt: timestamp().nullable(),
    suggestions: p.json<object[]>(),
    lastLearnedAt: timestamp().nullable(),
    /** When the last cycle's first run began. */
    cycleStartedAt: timestamp().nullable(),
    sourceTaskId: p.uuid().nullable(),
    ...timestamps,
  },
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class ProfileMemory extends schema.class {}
schema.setClass(ProfileMemory);
