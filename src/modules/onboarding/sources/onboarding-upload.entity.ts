import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
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
    /** Set before the bytes are removed, so that they become no source from then on. */
    abandoned: p.boolean().default(false),
    begunAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class OnboardingUpload extends schema.class {}
schema.setClass(OnboardingUpload);
