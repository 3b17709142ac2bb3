import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { organizationOwned } from '../../organizations/index.ts';

/**
 * Bytes of a push on their way, or kept no more: written before the first of them is stored, deleted in the transaction
 * that proposes the push. Has the id of the action that they become.
 */
const schema = defineEntity({
  name: 'GitPushUpload',
  tableName: 'git_push_upload',
  properties: {
    ...organizationOwned,
    /** Set before the bytes are removed, so that they become no push from then on. */
    abandoned: p.boolean().default(false),
    begunAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class GitPushUpload extends schema.class {}
schema.setClass(GitPushUpload);
