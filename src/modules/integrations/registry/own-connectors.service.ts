import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { Egress } from '../../../kernel/egress/index.ts';
import { ApiError, EdgeErrors, invalid } from '../../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { ActivityLogService, lockOrganizationRow, organizationById } from '../../organizations/index.ts';
import { grantAtFirst, insertConnector } from '../catalog/catalog.queries.ts';
import { ConnectorChangesService, subjectOf } from '../changes/connector-changes.service.ts';
import { replaceGrants } from '../grants/grants.queries.ts';
import { knownGrants } from '../grants/grants.service.ts';
import { toIntegration } from '../integration-projection.ts';
import type { IntegrationDto } from '../integration.dto.ts';
import { IntegrationErrors, IntegrationIssues } from '../integration.errors.ts';
import { MOST_OWN_CONNECTORS, OWNER_MADE_KIND } from '../integration.state.ts';
import { ProviderAdapters } from '../provider-adapters.port.ts';
import type { CreateIntegrationDto } from '../integration-body.dto.ts';
import { freeKey, isOwnKey, keyOfName } from './connector-key.ts';
import { requireConnectable } from './endpoint-url.ts';
import { ownKeys } from './registry.queries.ts';

/** Makes owners' own connectors. Nobody is asked: that is connecting. */
@Injectable()
export class OwnConnectorsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly egress: Egress,
    private readonly config: Config,
    private readonly adapters: ProviderAdapters,
    private readonly changes: ConnectorChangesService,
    private readonly activity: ActivityLogService,
  ) {}

  create(
    owner: OwnerPrincipal,
    organizationId: string,
    body: CreateIntegrationDto,
    request: IdempotentRequest,
  ): Promise<IntegrationDto> {
    return this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details: body, organizationOf: () => organizationId },
        () => this.createIn(tx, owner, body),
      ),
    );
  }

  private async createIn(tx: Tx, owner: OwnerPrincipal, body: CreateIntegrationDto): Promise<IntegrationDto> {
    const { organizationId } = tx;
    // So that of two at once the later one counts the other.
    const [locked, [organization], own] = await tx.batch([
      lockOrganizationRow(organizationId),
      organizationById(organizationId),
      ownKeys(organizationId),
    ]);
    if (locked.length === 0) throw new ApiError(EdgeErrors.organizationNotFound);
    requireConnectable(body.endpoint, {
      egress: this.egress,
      approvedOrigins: this.config.integrations.approvedOrigins,
      blockedDomains: organization!.blockedDomains,
    });
    const key = keyFor(body, new Set(own.map((each) => each.key)));
    if (own.length >= MOST_OWN_CONNECTORS) throw new ApiError(IntegrationErrors.tooMany);
    const id = newId();
    const { name, endpoint, purposes = [], description = '', profileGrants } = body;
    const connector = { id, key, kind: OWNER_MADE_KIND, entryVersion: null, name, description, endpoint, purposes };
    const grants = await this.firstGrants(tx, id, profileGrants);
    await tx.batch([
      insertConnector(organizationId, { ...connector, accessMode: 'ask_before_write' }),
      ...grants,
      ...this.activity.entry(tx, {
        actor: owner,
        verb: 'integration.created',
        subject: subjectOf(connector),
        details: { key },
      }),
    ]);
    return toIntegration(await this.changes.read(tx, { id }));
  }

  private async firstGrants(tx: Tx, id: string, profileGrants: readonly string[] | undefined) {
    const { organizationId } = tx;
    const departments = this.adapters.of(OWNER_MADE_KIND)?.entry.defaultDepartments ?? [];
    if (!profileGrants) return [grantAtFirst(organizationId, id, departments)];
    const { profileIds } = await knownGrants(tx, { profileGrants, readOnlyProfileKeys: [] });
    return replaceGrants(organizationId, id, profileIds, []);
  }
}

function keyFor({ key, name }: CreateIntegrationDto, taken: ReadonlySet<string>): string {
  if (key === undefined) return freeKey(keyOfName(name), taken);
  if (!isOwnKey(key)) throw invalid('key', IntegrationIssues.notAnOwnKey);
  if (taken.has(key)) throw new ApiError(IntegrationErrors.keyInUse);
  return key;
}
