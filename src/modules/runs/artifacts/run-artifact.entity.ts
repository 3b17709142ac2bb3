import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { Run } from '../run.entity.ts';

/** Bytes that a run delivered; the object store keeps them under the run's id. */
const schema = defineEntity({
  name: 'RunArtifact',
  tableName: 'run_artifact',
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
    /** 64 hexadecimal characters. */
    sha256: p.text().primary(),
    sizeBytes: p.bigint('number').columnType('bigint'),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class RunArtifact extends schema.class {}
schema.setClass(RunArtifact);
