import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { EXECUTION_KINDS } from '../../../kernel/principals/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { TOOL_ACCESS } from '../../integrations/index.ts';
import { Organization } from '../../organizations/index.ts';
import { CALL_OUTCOMES } from './integration-call.state.ts';

/**
 * That a tool was called, and what became of it, never with what: append-only, one partition a month. A partitioned key must
 * hold the partition column. Connector, profile, execution and action are values, because they may go.
 */
const schema = defineEntity({
  name: 'IntegrationCall',
  tableName: 'integration_call',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    at: timestamp().primary().defaultRaw('clock_timestamp()'),
    id: p.uuid().primary(),
    integrationId: p.uuid(),
    /** Null where the connector was removed, or the execution is over. */
    connectorKey: p.text().nullable(),
    toolName: p.text(),
    /** Of the definition that was called; null where there was none. */
    definitionHash: p.text().nullable(),
    agentProfileId: p.uuid(),
    execution: p.enum(EXECUTION_KINDS).columnType('text').nullable(),
    /** The run or turn that called; null of an action, which has its own. */
    executionId: p.uuid().nullable(),
    actionId: p.uuid().nullable(),
    /** Null where the tool is unknown. */
    access: p.enum(TOOL_ACCESS).columnType('text').nullable(),
    argumentsDigest: p.text(),
    argumentsBytes: p.integer(),
    outputDigest: p.text().nullable(),
    outputBytes: p.integer().nullable(),
    outcome: p.enum(CALL_OUTCOMES).columnType('text'),
    /** Why it did not succeed. */
    code: p.text().nullable(),
    /** Of the provider's HTTP answer. */
    answeredWith: p.integer().nullable(),
    latencyMs: p.integer(),
    /** What an MCP server spoke. */
    era: p.text().nullable(),
  },
  indexes: [{ name: 'integration_call_of_integration', properties: ['organization', 'integrationId', 'at', 'id'] }],
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class IntegrationCall extends schema.class {}
schema.setClass(IntegrationCall);
