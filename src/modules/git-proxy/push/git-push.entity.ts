import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { Action } from '../../actions/index.ts';

/**
 * A verified push whose bytes are kept: one action's, written in the transaction that proposes it, and removed with the
 * bytes some days after the action has ended.
 */
const schema = defineEntity({
  name: 'GitPush',
  tableName: 'git_push',
  properties: {
    action: () =>
      p
        .manyToOne(Action)
        .primary()
        .joinColumns('organization_id', 'action_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    actionId: p.uuid().persist(false),
    /** No foreign key: connectors may go. */
    integrationId: p.uuid(),
    /** `owner/name`, as the connector's settings or the client spell it. */
    repository: p.text(),
    ref: p.text(),
    /** Forty zeros of a branch that begins. */
    oldOid: p.text(),
    newOid: p.text(),
    /** Where the client's history ends, as it said it. */
    shallow: p.array().columnType('text[]').$type<string[]>(),
    packSha256: p.text(),
    packBytes: p.integer(),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class GitPush extends schema.class {}
schema.setClass(GitPush);
