import { defineEntity } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { uploadNote } from '../../../kernel/uploads/index.ts';
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
    ...uploadNote,
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class GitPushUpload extends schema.class {}
schema.setClass(GitPushUpload);
