import { Injectable } from '@nestjs/common';
import { type GatewayPrincipal, LiveExecutions } from '../../../kernel/auth/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import {
  ConnectorAuthority,
  type ConnectorUse,
  type ConnectorUseRow,
  credentialOf,
  IntegrationIssues,
  type ListedTool,
  ProviderAdapters,
  type StoredCredential,
  type UseOptions,
} from '../../integrations/index.ts';
import { refused, refusedUse } from '../use-refusals.ts';
import { type CallGround, callGround } from './gateway-uses.queries.ts';

/** What stands behind a capability now; no row where the connector was removed. */
interface LoadedUse extends CallGround {
  readonly row: ConnectorUseRow | undefined;
  readonly credential: StoredCredential | undefined;
}

/** An execution's use of the connector of its capability, as it stands now. */
export interface GatewayUse extends CallGround {
  readonly use: ConnectorUse;
  readonly credential: StoredCredential | undefined;
  /** Whole definitions of the tools that were asked for, with what owners demand of them. */
  readonly definitions: ReadonlyMap<string, ListedTool>;
}

/** Reads in one round trip all that decides a call: the execution, the epoch, the connector, the grant, its tools. */
@Injectable()
export class GatewayUsesService {
  constructor(
    private readonly reads: Reads,
    private readonly executions: LiveExecutions,
    private readonly authority: ConnectorAuthority,
    private readonly adapters: ProviderAdapters,
  ) {}

  /** 409 with its word where the execution may not use the connector now. */
  async of(gateway: GatewayPrincipal, definitions: NonNullable<UseOptions['definitions']>): Promise<GatewayUse> {
    return this.permitted(gateway, await this.load(gateway, definitions));
  }

  /** 401 and 409 where the execution is over. */
  async load(
    { execution, integrationId }: GatewayPrincipal,
    definitions: NonNullable<UseOptions['definitions']>,
  ): Promise<LoadedUse> {
    const { organizationId, agentProfileId } = execution;
    const access = this.executions.access(execution, { enabledProfile: true, lane: 'ordinary' });
    const [[row], [credential], [ground]] = await this.reads.listThrough(access, {
      statements: () =>
        [
          this.authority.uses(organizationId, { id: integrationId }, agentProfileId, { definitions }),
          credentialOf(organizationId, integrationId),
          callGround(organizationId, integrationId),
        ] as const,
      result: (sets) => sets,
    });
    return { ...ground!, row, credential };
  }

  /** What was loaded, where the capability still stands; 409 with its word otherwise. */
  permitted({ execution, authorizationEpoch }: GatewayPrincipal, loaded: LoadedUse): GatewayUse {
    const { row, ...others } = loaded;
    // A connector that was removed moved the epoch too.
    if (!row || row.organization.authorizationEpoch !== authorizationEpoch) throw refused(IntegrationIssues.staleEpoch);
    const use = this.authority.useOf(row, execution.mode);
    const refusal = use.refusal();
    if (refusal !== null) throw refusedUse(refusal);
    return { ...others, use, definitions: definitionsOf(use, this.fixedTools(use)) };
  }

  private fixedTools({ row, standing }: ConnectorUse): readonly ListedTool[] | undefined {
    return standing.entry?.tools === 'fixed' ? this.adapters.of(row.kind)?.tools?.(row.settings) : undefined;
  }
}

/** Definitions by name, each with the access and review that count for it. */
export function definitionsOf(use: ConnectorUse, fixed: readonly ListedTool[] | undefined): Map<string, ListedTool> {
  const definitions = new Map<string, ListedTool>();
  for (const tool of fixed ?? use.row.definitions ?? []) {
    const known = use.tool(tool.name);
    if (known) definitions.set(tool.name, { ...tool, access: known.access, reviewRequired: known.reviewRequired });
  }
  return definitions;
}
