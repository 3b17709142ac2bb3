import { Injectable } from '@nestjs/common';
import {
  type CallFailure,
  type ConnectorUse,
  failedSighting,
  HealthObservationsService,
  type McpMemory,
} from '../../integrations/index.ts';

/** What a provider says of a call says nothing of the connector. */
const OF_THE_CALL: ReadonlySet<string> = new Set(['not_found', 'rejected']);

/** Lets the health of connectors know what calls see of them on the way. */
@Injectable()
export class ConnectorSightingsService {
  constructor(private readonly health: HealthObservationsService) {}

  /** The provider answered as it should, in this revision of MCP where it speaks that. */
  async well({ row, standing }: ConnectorUse, mcp: McpMemory | null = null): Promise<void> {
    const seen =
      standing.entry?.tools === 'discovered' ? (['credential', 'tools'] as const) : (['credential'] as const);
    await this.health.observe(row, ...seen.map((scope) => ({ scope, mcp })));
  }

  /** The provider could not be asked, or failed. */
  async failed({ row, standing }: ConnectorUse, error: unknown): Promise<void> {
    const sighting = failedSighting(error, standing.entry?.tools === 'discovered');
    if (sighting && !OF_THE_CALL.has(sighting.code)) await this.health.observe(row, sighting);
  }

  /** A write was answered with a word of ours; only those for the credential say anything of the connector. */
  async refused({ row }: ConnectorUse, { code, requiredScopes }: CallFailure): Promise<void> {
    if (code !== 'credential_refused' && code !== 'scope_lost') return;
    await this.health.observe(row, { scope: 'credential', code, ...(requiredScopes ? { requiredScopes } : {}) });
  }
}
