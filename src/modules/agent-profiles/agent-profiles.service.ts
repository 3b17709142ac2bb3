import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import {
  DATABASE_NOW,
  Reads,
  sqlState,
  SqlState,
  Transactions,
  type EntityTx,
  type Tx,
} from '../../kernel/database/index.ts';
import { ApiError, EdgeIssues, invalid } from '../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import {
  ActivityLogService,
  type ActivityVerb,
  type Department,
  lockOrganization,
  WorkPermitted,
} from '../organizations/index.ts';
import {
  type AgentProfileDto,
  type AgentProfileListQuery,
  type CreateAgentProfileDto,
  toAgentProfile,
  type UpdateAgentProfileDto,
  type UpdateCatalogSourceDto,
} from './agent-profile.dto.ts';
import { AgentProfile } from './agent-profile.entity.ts';
import { AgentProfileErrors } from './agent-profile.errors.ts';
import { pin } from './agent-profile-pin.ts';
import { checkIdentity, mergeConfig } from './agent-profile.policy.ts';
import { PROFILE_LIVE_RUN_LIMIT } from './agent-profile.state.ts';
import {
  liveProfile,
  lockLiveProfiles,
  lockProfileCapacities,
  profileCapacity,
  profilesById,
  profilesOf,
  setProfileCapacity,
} from './agent-profiles.queries.ts';
import { configFrom, templateFor } from './catalog.ts';
import { CatalogsService } from './catalogs/catalogs.service.ts';
import { newAgentProfile } from './new-agent-profile.ts';
import { ProfileRemoved } from './profile-removed.port.ts';

@Injectable()
export class AgentProfilesService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly catalogs: CatalogsService,
    private readonly permitted: WorkPermitted,
    private readonly removed: ProfileRemoved,
    private readonly activity: ActivityLogService,
  ) {}

  async list(
    owner: OwnerPrincipal,
    organizationId: string,
    query: AgentProfileListQuery,
  ): Promise<Page<AgentProfileDto>> {
    const page = await this.reads.listInOrganization(owner, organizationId, profilesOf(organizationId, query));
    return page.map(toAgentProfile);
  }

  async read(owner: OwnerPrincipal, organizationId: string, id: string): Promise<AgentProfileDto> {
    const [row] = await this.reads.inOrganization(owner, organizationId, liveProfile(organizationId, id));
    if (!row) throw new ApiError(AgentProfileErrors.notFound);
    return toAgentProfile(row);
  }

  create(
    owner: OwnerPrincipal,
    organizationId: string,
    body: CreateAgentProfileDto,
    request: IdempotentRequest,
  ): Promise<AgentProfileDto> {
    checkIdentity(body);
    return this.transactions.inOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details: body, organizationOf: () => organizationId },
        async () => {
          // As provisioning does, which makes the same keys.
          const { enabledDepartments } = await lockOrganization(tx);
          if (body.status !== 'disabled') refuseDisabled(body.department, enabledDepartments);
          const profile = await this.draft(tx, body);
          await tx.em.persist(profile).flush().catch(keyInUse);
          await this.record(tx, owner, 'agent_profile.created', profile);
          return this.readIn(tx, profile.id);
        },
      ),
    );
  }

  update(
    owner: OwnerPrincipal,
    organizationId: string,
    id: string,
    body: UpdateAgentProfileDto,
  ): Promise<AgentProfileDto> {
    return this.transactions.inOrganization(owner, organizationId, async (tx) => {
      // Before the profile, in the order of locks; what is disabled needs no look at its department.
      const organization = body.status === 'enabled' ? await lockOrganization(tx) : undefined;
      const profile = await lockProfile(tx, id);
      if (organization) refuseDisabled(profile.department, organization.enabledDepartments);
      const maxLiveRuns = body.config?.maxLiveRuns;
      if (body.status || maxLiveRuns !== undefined) await tx.rows(lockProfileCapacities(organizationId, { ids: [id] }));
      const before = JSON.stringify(profile);
      profile.name = body.name ?? profile.name;
      profile.status = body.status ?? profile.status;
      // What an owner says of it holds, whatever the switch of its department did before.
      if (body.status) profile.disabledByDepartment = false;
      if (body.config?.catalogSource) await this.repin(tx, profile, body.config.catalogSource);
      profile.instructionsUri = body.instructionsUri ?? profile.instructionsUri;
      profile.memoryRootUri = body.config?.memoryRootUri ?? profile.memoryRootUri;
      profile.config = mergeConfig(profile.config, body.config);
      const capacity = await setCapacity(tx, id, maxLiveRuns);
      if (capacity !== 'same' || JSON.stringify(profile) !== before) {
        // The limit is kept apart from the profile's row, which tells when something changed.
        profile.updatedAt = DATABASE_NOW;
        await tx.em.flush();
        await this.record(tx, owner, 'agent_profile.updated', profile, { changed: Object.keys(body) });
        if (body.status === 'enabled' || capacity === 'raised') await this.permitted.tell(tx);
        if (body.status === 'disabled') this.removed.disabled(tx, id);
      }
      return this.readIn(tx, id);
    });
  }

  /** Hides the profile and frees its key; the row stays, since what it did still names it. */
  delete(owner: OwnerPrincipal, organizationId: string, id: string): Promise<AgentProfileDto> {
    return this.transactions.inOrganization(owner, organizationId, async (tx) => {
      const profile = await lockProfile(tx, id);
      if (profile.kind !== 'department') throw new ApiError(AgentProfileErrors.notDeletable);
      await this.removed.removing(tx, id);
      await tx.rows(lockProfileCapacities(organizationId, { ids: [id] }));
      profile.status = 'disabled';
      profile.deletedAt = DATABASE_NOW;
      await tx.em.flush();
      await this.removed.removed(tx, id);
      await this.record(tx, owner, 'agent_profile.deleted', profile);
      return this.readIn(tx, id);
    });
  }

  private async readIn(tx: Tx, id: string): Promise<AgentProfileDto> {
    const [row] = await tx.rows(profilesById(tx.organizationId, [id]));
    return toAgentProfile(row!);
  }

  private async draft(tx: EntityTx, body: CreateAgentProfileDto): Promise<AgentProfile> {
    const { key, name, kind, department = null, status, rootUri, instructionsUri, config } = body;
    const { templateKey, revision, updatePolicy } = config?.catalogSource ?? {};
    const published = await this.catalogOf(tx, revision);
    const { catalog } = published;
    const template =
      templateKey === undefined
        ? templateFor(catalog, key, department)
        : catalog.profiles.find((each) => each.key === templateKey);
    if (templateKey !== undefined && !template) throw unknownTemplate();
    return newAgentProfile(tx, { key, name, kind, department }, template, published, {
      status,
      rootUri,
      instructionsUri,
      memoryRootUri: config?.memoryRootUri,
      config: mergeConfig(configFrom(catalog, template), config),
      maxLiveRuns: config?.maxLiveRuns,
      updatePolicy: updatePolicy ?? (revision === undefined ? 'auto' : 'pinned'),
    });
  }

  /** Points the profile at another template or revision, which pins it unless the update says otherwise. */
  private async repin(tx: EntityTx, profile: AgentProfile, source: UpdateCatalogSourceDto): Promise<void> {
    const { catalogRevision, catalogTemplateKey } = profile;
    const revision = source.revision ?? catalogRevision;
    const templateKey = source.templateKey ?? catalogTemplateKey;
    const moves = revision !== catalogRevision || templateKey !== catalogTemplateKey;
    if (moves) {
      const published = await this.catalogOf(tx, revision);
      const template = published.catalog.profiles.find(({ key }) => key === templateKey);
      if (!template) throw unknownTemplate();
      const before = await this.catalogs.readManyIn(tx, [catalogRevision]);
      pin(profile, template, published, before.get(catalogRevision));
    }
    profile.catalogUpdatePolicy = source.updatePolicy ?? (moves ? 'pinned' : profile.catalogUpdatePolicy);
  }

  /** The catalog that a body names, or the current one. */
  private async catalogOf(tx: Tx, revision: string | undefined) {
    if (revision === undefined) return this.catalogs.readIn(tx);
    const catalog = (await this.catalogs.readManyIn(tx, [revision])).get(revision);
    if (!catalog)
      throw invalid('config.catalogSource.revision', EdgeIssues.unknownReference, 'is no published revision');
    return catalog;
  }

  private record(
    tx: Tx,
    actor: OwnerPrincipal,
    verb: ActivityVerb,
    { id, name }: AgentProfile,
    details?: Record<string, unknown>,
  ): Promise<void> {
    const subject = { kind: 'agent_profile', id, label: name };
    return this.activity.record(tx, {
      actor,
      verb,
      subject,
      ...(details ? { details } : {}),
    });
  }
}

async function lockProfile(tx: EntityTx, id: string): Promise<AgentProfile> {
  const locked = await tx.rows(lockLiveProfiles(tx.organizationId, [id]));
  if (locked.length === 0) throw new ApiError(AgentProfileErrors.notFound);
  return tx.em.findOneOrFail(AgentProfile, { organization: tx.organizationId, id });
}

/** Sets how many runs of a profile may be live, behind the lock of its capacity. */
async function setCapacity(tx: Tx, id: string, limit: number | undefined): Promise<'same' | 'raised' | 'lowered'> {
  if (limit === undefined) return 'same';
  const [capacity] = await tx.rows(profileCapacity(tx.organizationId, id));
  const before = capacity?.maxLiveRuns ?? PROFILE_LIVE_RUN_LIMIT.default;
  if (limit === before) return 'same';
  await tx.rows(setProfileCapacity(tx.organizationId, id, limit));
  return limit > before ? 'raised' : 'lowered';
}

function refuseDisabled(department: Department | null | undefined, enabled: readonly Department[]): void {
  if (department != null && !enabled.includes(department)) throw new ApiError(AgentProfileErrors.departmentDisabled);
}

function unknownTemplate(): ApiError {
  return invalid('config.catalogSource.templateKey', EdgeIssues.unknownReference, 'is no template of that revision');
}

function keyInUse(error: unknown): never {
  throw sqlState(error) === SqlState.uniqueViolation ? new ApiError(AgentProfileErrors.keyInUse) : error;
}
