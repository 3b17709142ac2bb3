import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { Run } from '../run.entity.ts';
import { STAGED_OUTCOME_KINDS } from '../run.state.ts';

/** The outcome that an agent staged for the end of its run; may be replaced until the run completes. */
const schema = defineEntity({
  name: 'RunOutcome',
  tableName: 'run_outcome',
  properties: {
    run: () =>
      p
        .manyToOne(Run)
        .primary()
        .joinColumns('organization_id', 'run_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    runId: p.uuid().persist(false),
    id: p.uuid(),
    kind: p.enum(STAGED_OUTCOME_KINDS).columnType('text'),
    outcome: p.json<object>(),
    /** SHA-256 of its canonical JSON. */
    digest: p.text(),
    stagedAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class RunOutcome extends schema.class {}
schema.setClass(RunOutcome);
