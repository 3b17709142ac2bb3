import { defineEntity } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { uploadNote } from '../../../kernel/uploads/index.ts';
import { organizationOwned } from '../../organizations/index.ts';

/**
 * Bytes on their way to an onboarding, or no longer needed by it: written before the first of them is stored, deleted in the
 * transaction that makes them a source.
 */
const schema = defineEntity({
  name: 'OnboardingUpload',
  tableName: 'onboarding_upload',
  properties: {
    ...organizationOwned,
    ...uploadNote,
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class OnboardingUpload extends schema.class {}
schema.setClass(OnboardingUpload);
