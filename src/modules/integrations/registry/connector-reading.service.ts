import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, type Statement } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { memberOf } from '../../organizations/index.ts';
import { byRef } from '../changes/connector-changes.service.ts';
import { toIntegration } from '../integration-projection.ts';
import type { IntegrationDto, IntegrationListQuery } from '../integration.dto.ts';
import { NOT_FOUND } from '../integration.errors.ts';
import { OWNER_MADE_KIND } from '../integration.state.ts';
import { ProviderAdapters } from '../provider-adapters.port.ts';
import { connectors } from '../readiness/connectors.queries.ts';
import { ReadinessService } from '../readiness/readiness.service.ts';
import { listedConnectors } from './registry.queries.ts';

/** Connectors as owners and viewers see them. */
@Injectable()
export class ConnectorReadingService {
  constructor(
    private readonly reads: Reads,
    private readonly adapters: ProviderAdapters,
    private readonly readiness: ReadinessService,
  ) {}

  list(owner: OwnerPrincipal, organizationId: string, query: IntegrationListQuery): Promise<Page<IntegrationDto>> {
    const kinds = this.adapters.entries().filter(({ status }) => status === 'active');
    const list = listedConnectors(organizationId, [...kinds.map(({ key }) => key), OWNER_MADE_KIND], query);
    return this.reads.listInOrganization(owner, organizationId, {
      statements: (): readonly Statement[] => [memberOf(organizationId, owner.subject), ...list.statements()],
      result: ([members, ...sets]: readonly unknown[][]) => {
        const showsAddress = mayWrite(owner, members as readonly { readonly role: string }[]);
        return list.result(sets).map((row) => toIntegration(this.readiness.of(row), { showsAddress }));
      },
    });
  }

  read(owner: OwnerPrincipal, organizationId: string, ref: string): Promise<IntegrationDto> {
    return this.reads.listInOrganization(owner, organizationId, {
      statements: () => [memberOf(organizationId, owner.subject), connectors(organizationId, byRef(ref))] as const,
      result: ([members, [row]]) => {
        if (!row) throw new ApiError(NOT_FOUND);
        return toIntegration(this.readiness.of(row), { showsAddress: mayWrite(owner, members) });
      },
    });
  }
}

/** Whether it could write addresses itself. The administrator has no row, and is an owner. */
function mayWrite({ scopes }: OwnerPrincipal, [member]: readonly { readonly role: string }[]): boolean {
  return member?.role !== 'viewer' && scopes.includes('settings');
}
