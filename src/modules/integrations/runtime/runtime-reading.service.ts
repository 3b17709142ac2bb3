import { Injectable } from '@nestjs/common';
import { Reads } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { toConnector } from '../integration-projection.ts';
import { conflict, IntegrationIssues, NOT_FOUND } from '../integration.errors.ts';
import { ConnectorUse } from '../readiness/connector-use.ts';
import { type ConnectorRow, connectors, type Which } from '../readiness/connectors.queries.ts';
import { effectiveTools } from '../readiness/readiness.policy.ts';
import { ReadinessService, type StandingConnector } from '../readiness/readiness.service.ts';
import type { ProfileAccessDto, RuntimeConnectorDto } from './runtime.dto.ts';
import { presentEpoch, type RuntimeProfile, runtimeProfiles } from './runtime.queries.ts';

/** The registry as trusted runtimes see it, without asking any provider. */
@Injectable()
export class RuntimeReadingService {
  constructor(
    private readonly reads: Reads,
    private readonly readiness: ReadinessService,
  ) {}

  async list(organizationId: string, authorizationEpoch: number): Promise<RuntimeConnectorDto[]> {
    return this.read(organizationId, 'all', authorizationEpoch);
  }

  async one(organizationId: string, key: string, authorizationEpoch: number): Promise<RuntimeConnectorDto> {
    const [connector] = await this.read(organizationId, { key }, authorizationEpoch);
    if (!connector) throw new ApiError(NOT_FOUND);
    return connector;
  }

  private read(organizationId: string, which: Which, authorizationEpoch: number): Promise<RuntimeConnectorDto[]> {
    return this.reads.listThrough(activeAccess(organizationId, NOT_FOUND, 'ordinary'), {
      statements: () =>
        [presentEpoch(organizationId), runtimeProfiles(organizationId), connectors(organizationId, which)] as const,
      result: ([[present], profiles, rows]) => {
        requireEpoch(present, authorizationEpoch);
        return rows.map((row) => toRuntimeConnector(this.readiness.of(row), profiles));
      },
    });
  }
}

/** 409 `stale_epoch` where what the caller knows is of before. */
export function requireEpoch(
  present: { readonly authorizationEpoch: number } | undefined,
  authorizationEpoch: number,
): void {
  if (present?.authorizationEpoch !== authorizationEpoch)
    throw conflict(IntegrationIssues.staleEpoch, undefined, 'authorizationEpoch');
}

/** A connector for an execution or runtime: what owners see, without address, account and settings. */
export function toRuntimeConnector(
  connector: StandingConnector,
  profiles: readonly RuntimeProfile[],
): RuntimeConnectorDto {
  const { row, entry, tools } = connector;
  const effective = effectiveTools({ selection: row.selection, accessMode: row.accessMode, tools });
  const shown = toConnector(connector);
  return {
    ...shown,
    connectionType: entry?.connectionType ?? (row.origin === 'owner' ? 'mcp' : 'direct'),
    capabilities: effective.map(({ name }) => name),
    departments: [...shown.operatingContext.departments],
    profiles: profiles.flatMap((profile) => accessOf(connector, profile)),
    authorizationEpoch: row.organization.authorizationEpoch,
  };
}

/** Operator and chat find every connector; departments those that they are granted. */
function accessOf(connector: StandingConnector, profile: RuntimeProfile): ProfileAccessDto[] {
  const grant = connector.row.grants.find(({ id }) => id === profile.id) ?? null;
  if (!grant && profile.kind === 'department') return [];
  const row = { ...(connector.row satisfies ConnectorRow), profile, grant, definitions: null };
  const use = new ConnectorUse({ ...connector, row }, profile.kind === 'chat' ? null : 'execute');
  const reason = use.refusal();
  const reads = grant?.readOnly === true || profile.kind === 'operator';
  return [
    { key: profile.key, access: !grant ? 'discovery' : reads ? 'read' : 'full', available: reason === null, reason },
  ];
}
