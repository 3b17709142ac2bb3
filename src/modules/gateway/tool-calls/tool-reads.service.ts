import { Injectable } from '@nestjs/common';
import {
  IntegrationIssues,
  InventoriesService,
  type ListedTool,
  type McpMemory,
  ProviderAskingService,
  type Question,
  type ToolCall,
  type ToolOutput,
} from '../../integrations/index.ts';
import { GatewayIssues } from '../gateway.errors.ts';
import { refused } from '../use-refusals.ts';
import { LISTED_AT_MOST_SECONDS } from '../gateway.policy.ts';
import { ConnectorSightingsService } from './connector-sightings.service.ts';
import type { GatewayUse } from './gateway-uses.service.ts';
import { withoutSecrets } from './redaction.ts';

export interface ReadOutput extends ToolOutput {
  /** What the server spoke. */
  readonly mcp: McpMemory | null;
}

/** Calls tools that read: in a connection of their own, once more only where a token was renewed. */
@Injectable()
export class ToolReadsService {
  constructor(
    private readonly asking: ProviderAskingService,
    private readonly inventories: InventoriesService,
    private readonly sightings: ConnectorSightingsService,
  ) {}

  /** Throws `ProviderFailure`, and 409 where the tool was defined anew meanwhile. */
  async read(given: GatewayUse, call: ToolCall, signal: AbortSignal): Promise<ReadOutput> {
    const { use, credential } = given;
    try {
      const output = await this.asking.stored(
        use.standing,
        credential,
        'call',
        (question) => this.ask(given, call, question),
        signal,
      );
      await this.sightings.well(use, output.mcp);
      return output;
    } catch (error) {
      if (!signal.aborted) await this.sightings.failed(use, error);
      throw error;
    }
  }

  private async ask(given: GatewayUse, call: ToolCall, question: Question): Promise<ReadOutput> {
    const { adapter, access, net, secrets } = question;
    if (!adapter.open) {
      if (!adapter.call) throw refused(GatewayIssues.notCallable);
      const { output, truncated } = await adapter.call(call, access, net);
      return { output: withoutSecrets(output, secrets), truncated, mcp: null };
    }
    const session = await adapter.open(access, net);
    try {
      if (isOld(given)) {
        const inventory = await session.list();
        await this.inventories.observe(given.use.row, inventory);
        requireSame(call.tool, inventory.tools);
      }
      const { output, truncated } = await session.read(call);
      return { output: withoutSecrets(output, secrets), truncated, mcp: session.mcp };
    } finally {
      await session.close();
    }
  }
}

function isOld({ listedSecondsAgo }: GatewayUse): boolean {
  return listedSecondsAgo === null || listedSecondsAgo > LISTED_AT_MOST_SECONDS;
}

function requireSame({ name, definitionHash }: ListedTool, listed: readonly ListedTool[]): void {
  const now = listed.find((tool) => tool.name === name);
  if (!now) throw refused(IntegrationIssues.toolMissing);
  if (now.definitionHash !== definitionHash) throw refused(IntegrationIssues.toolQuarantined);
}
