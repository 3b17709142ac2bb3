import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor } from '../../../kernel/pagination/index.ts';
import { isUuid } from '../../../kernel/validation/index.ts';
import type { IntegrationCallDto, IntegrationCallListQuery } from './integration-call.dto.ts';

export type IntegrationCallRow = IntegrationCallDto;

/** A call that has ended. */
export type NewCall = Omit<IntegrationCallRow, 'at'>;

export function insertCall(organizationId: string, call: NewCall): Statement {
  return sql`
    insert into integration_call (organization_id, id, integration_id, connector_key, tool_name, definition_hash,
      agent_profile_id, execution, execution_id, action_id, access, arguments_digest, arguments_bytes, output_digest,
      output_bytes, outcome, code, answered_with, latency_ms, era)
    values (${organizationId}, ${call.id}, ${call.integrationId}, ${call.connectorKey}, ${call.toolName},
      ${call.definitionHash}, ${call.agentProfileId}, ${call.execution}, ${call.executionId}, ${call.actionId},
      ${call.access}, ${call.argumentsDigest}, ${call.argumentsBytes}, ${call.outputDigest}, ${call.outputBytes},
      ${call.outcome}, ${call.code}, ${call.providerStatus}, ${call.latencyMs}, ${call.era})`;
}

const select = columns<IntegrationCallRow>({
  id: 'l.id',
  at: 'l.at',
  integrationId: 'l.integration_id',
  connectorKey: 'l.connector_key',
  toolName: 'l.tool_name',
  definitionHash: 'l.definition_hash',
  agentProfileId: 'l.agent_profile_id',
  execution: 'l.execution',
  executionId: 'l.execution_id',
  actionId: 'l.action_id',
  access: 'l.access',
  argumentsDigest: 'l.arguments_digest',
  argumentsBytes: 'l.arguments_bytes',
  outputDigest: 'l.output_digest',
  outputBytes: 'l.output_bytes',
  outcome: 'l.outcome',
  code: 'l.code',
  providerStatus: 'l.answered_with',
  latencyMs: 'l.latency_ms',
  era: 'l.era',
});

/** The connector of an id or key. */
export function integrationOfRef(organizationId: string, ref: string): Statement<{ id: string }> {
  const named = isUuid(ref) ? sql`i.id = ${ref}` : sql`i.key = ${ref}`;
  return sql`select i.id from integration i where i.organization_id = ${organizationId} and ${named}`;
}

/** Calls through a connector, newest first. */
export function callsOf(
  organizationId: string,
  integrationId: string,
  query: IntegrationCallListQuery,
): KeysetList<IntegrationCallRow> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('l.organization_id', organizationId)
    .equals('l.integration_id', integrationId)
    .equals('l.tool_name', query.toolName)
    .oneOf('l.outcome', query.outcome)
    .equals('l.agent_profile_id', query.agentProfileId)
    .between('l.at', query.createdAfter, query.createdBefore);
  return new KeysetList<IntegrationCallRow>(
    {
      select,
      from: 'integration_call l',
      where: filters.where,
      sortBy: [
        { sql: 'l.at', type: 'timestamptz', of: ({ at }) => at },
        { sql: 'l.id', type: 'uuid', of: ({ id }) => id },
      ],
      cursor: opaqueCursor('integration-calls', [organizationId, integrationId, bound]),
    },
    query,
  );
}
