import { Injectable } from '@nestjs/common';
import { Reads } from '../../../kernel/database/index.ts';
import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { NOT_FOUND } from '../integration.errors.ts';
import { keysOf } from '../preferences/preference-order.ts';
import { preferencesOf } from '../preferences/preferences.queries.ts';
import { ConnectorAuthorityService } from '../readiness/connector-authority.service.ts';
import type { ConnectorUse } from '../readiness/connector-use.ts';
import type { UseRefusal } from '../readiness/readiness.policy.ts';
import { requireEpoch } from './runtime-reading.service.ts';
import type { CandidateDto, OperationDto, ResolvedDto, ResolveDto } from './runtime.dto.ts';
import { presentEpoch, runtimeProfiles } from './runtime.queries.ts';

/** Finds the connectors for an operation of a profile, as in a run in `execute`. */
@Injectable()
export class ResolveService {
  constructor(
    private readonly reads: Reads,
    private readonly authority: ConnectorAuthorityService,
  ) {}

  resolve(organizationId: string, { operation, agentProfileId, authorizationEpoch }: ResolveDto): Promise<ResolvedDto> {
    const { purpose, connectorKey } = operation;
    if ((purpose === undefined) === (connectorKey === undefined))
      throw invalid('operation.purpose', EdgeIssues.required, 'is required, or `connectorKey`, and not both');
    const which = connectorKey === undefined ? 'all' : { key: connectorKey };
    return this.reads.listThrough(activeAccess(organizationId, NOT_FOUND, 'ordinary'), {
      statements: () =>
        [
          presentEpoch(organizationId),
          preferencesOf(organizationId),
          runtimeProfiles(organizationId),
          this.authority.uses(organizationId, which, agentProfileId),
        ] as const,
      result: ([[present], [preferences], profiles, rows]) => {
        requireEpoch(present, authorizationEpoch);
        if (!profiles.some(({ id }) => id === agentProfileId))
          throw invalid('agentProfileId', EdgeIssues.unknownReference, 'names no agent profile of this organization');
        const found = purpose === undefined ? rows : rows.filter(({ purposes }) => purposes.includes(purpose));
        if (connectorKey !== undefined && found.length === 0)
          throw invalid('operation.connectorKey', EdgeIssues.unknownReference, 'names no connector');
        const { revision, order } = preferences ?? { revision: 1, order: {} };
        const preferred = keysOf(order, purpose ?? '');
        const candidates = found
          .map((row) => candidateOf(this.authority.useOf(row, 'execute'), operation))
          .toSorted((one, other) => rankOf(one, preferred) - rankOf(other, preferred));
        return {
          authorizationEpoch,
          preferencesRevision: revision,
          selected: candidates.find(({ eligible }) => eligible)?.key ?? null,
          candidates,
        };
      },
    });
  }
}

/** Those without a rank stay in the order of their keys, in which they come. */
function rankOf({ key }: CandidateDto, preferred: readonly string[]): number {
  const rank = preferred.indexOf(key);
  return rank === -1 ? preferred.length : rank;
}

function candidateOf(use: ConnectorUse, { tool, access }: OperationDto): CandidateDto {
  const tools = use.tools().filter((each) => each.access === access && (tool === undefined || each.name === tool));
  const reason = reasonOf(use, tool, access, tools.length > 0);
  const { row, readiness } = use;
  return {
    integrationId: row.id,
    key: row.key,
    name: row.name,
    eligible: reason === null,
    reason,
    readiness,
    accessMode: row.accessMode,
    approval: approvalOf(use, tool, access),
    tools: tools.map(({ name }) => name),
  };
}

function reasonOf(
  use: ConnectorUse,
  tool: string | undefined,
  access: OperationDto['access'],
  hasTools: boolean,
): UseRefusal | null {
  const refusal = use.refusal(tool);
  if (refusal !== null) return refusal;
  if (hasTools) return null;
  // A tool that writes is none for reading, and what may only be read is none for writing.
  return access === 'write' || tool !== undefined ? 'read_only' : 'tool_not_selected';
}

function approvalOf(use: ConnectorUse, name: string | undefined, access: OperationDto['access']): string {
  if (access === 'read') return 'none';
  if (use.row.accessMode === 'ask_before_write') return 'always';
  const tool = name === undefined ? undefined : use.tool(name);
  return tool && use.approvalDemands(tool).length > 0 ? 'always' : 'policy';
}
