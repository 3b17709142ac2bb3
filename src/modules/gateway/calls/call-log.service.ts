import { Injectable, Logger } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { canonicalDigest, sha256 } from '../../../kernel/crypto/index.ts';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { Metrics } from '../../../kernel/metrics/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { NOT_FOUND } from '../../integrations/index.ts';
import { GatewayMetrics } from '../gateway.metrics.ts';
import type { IntegrationCallDto, IntegrationCallListQuery } from './integration-call.dto.ts';
import { callsOf, insertCall, integrationOfRef, type NewCall } from './integration-calls.queries.ts';

/** A call as its caller knows it, with what went in and came out: of these the digest and the size are kept. */
export interface EndedCall extends Omit<
  NewCall,
  'id' | 'argumentsDigest' | 'argumentsBytes' | 'outputDigest' | 'outputBytes'
> {
  readonly kind: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly output: object | null;
}

/** Names of tools are shorter; a caller may name anything. */
const LONGEST_NAME = 128;

/** Writes down every call of a tool, and reads that to owners. */
@Injectable()
export class CallLogService {
  private readonly logger = new Logger('Gateway');

  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly metrics: Metrics,
  ) {}

  /** One round trip. A call that cannot be written down has happened all the same, so its caller gets the answer. */
  async note(organizationId: string, { kind, arguments: given, output, ...call }: EndedCall): Promise<void> {
    try {
      const [taken, gave] = [measured(given), output === null ? null : measured(output)];
      const row: NewCall = {
        ...call,
        id: newId(),
        toolName: call.toolName.slice(0, LONGEST_NAME),
        latencyMs: Math.round(call.latencyMs),
        argumentsDigest: taken.digest,
        argumentsBytes: taken.bytes,
        outputDigest: gave?.digest ?? null,
        outputBytes: gave?.bytes ?? null,
      };
      this.count(kind, row);
      await this.transactions.batch(standingAccess(organizationId, NOT_FOUND), [insertCall(organizationId, row)]);
    } catch (error) {
      if (!(error instanceof ApiError)) this.logger.warn(`A call was not written down: ${(error as Error).message}`);
    }
  }

  async list(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    query: IntegrationCallListQuery,
  ): Promise<Page<IntegrationCallDto>> {
    const [integration] = await this.reads.inOrganization(owner, organizationId, integrationOfRef(organizationId, ref));
    if (!integration) throw new ApiError(NOT_FOUND);
    return this.reads.listInOrganization(owner, organizationId, callsOf(organizationId, integration.id, query));
  }

  private count(kind: string, { access, outcome, latencyMs, outputBytes }: NewCall): void {
    const labels = { kind, access: access ?? 'unknown' } as const;
    this.metrics.counter(GatewayMetrics.calls, { ...labels, outcome }).inc();
    this.metrics.histogram(GatewayMetrics.seconds, labels).observe(latencyMs / 1_000);
    this.metrics.counter(GatewayMetrics.bytes, labels).inc(outputBytes ?? 0);
  }
}

/** A value that RFC 8785 has no text for is digested as JSON has it: a call is written down whatever it came to. */
function measured(value: object): { readonly digest: string; readonly bytes: number } {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  try {
    return { digest: canonicalDigest(value), bytes };
  } catch {
    return { digest: sha256(text).toString('hex'), bytes };
  }
}
