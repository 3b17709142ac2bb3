import { Injectable } from '@nestjs/common';
import { type ExecutionKind, type ExecutionPrincipal, LiveExecutions } from '../../../kernel/auth/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import { pinnedProfile, toPinnedProfile } from '../../agent-profiles/index.ts';
import { organizationById, type OrganizationRow, toOrganization } from '../../organizations/index.ts';
import type { ManifestDto } from './manifest.dto.ts';
import { ManifestContext } from '../manifest-context.port.ts';
import { ManifestParts } from '../manifest-parts.port.ts';
import { withinLimit } from './manifest-size.ts';
import { subjectOf } from './manifest-subject.ts';
import { runManifest } from './run-manifest.ts';
import { turnManifest } from './turn-manifest.ts';
import type { ManifestOfKind } from './manifest-of-kind.ts';

const KINDS: Readonly<Record<ExecutionKind, ManifestOfKind>> = { task_run: runManifest, chat_turn: turnManifest };

/**
 * The manifest of an execution: everything that it needs to go on, read now in one round trip; and in a second one, where
 * there is any, what the organization knows about it.
 */
@Injectable()
export class ExecutionManifestService {
  constructor(
    private readonly reads: Reads,
    private readonly executions: LiveExecutions,
    private readonly parts: ManifestParts,
    private readonly context: ManifestContext,
  ) {}

  async read(execution: ExecutionPrincipal): Promise<ManifestDto> {
    const { organizationId, executionId, execution: kind } = execution;
    const { pin, statements, own } = KINDS[kind];
    const ofKind = statements(organizationId, executionId);
    const contextual = this.context.statements(organizationId);
    const { manifest, isWorthwhile } = await this.reads.listThrough(this.executions.access(execution), {
      statements: () => [
        organizationById(organizationId),
        pinnedProfile(pin(organizationId, executionId)),
        ...ofKind,
        ...contextual,
        ...this.parts.statements(execution),
      ],
      result: ([[organization], [profile], ...sets]) => {
        const shown = toManifestOrganization(organization!);
        const ofParts = sets.slice(ofKind.length + contextual.length);
        const { checkpoints = [], memory = null, learning, integrations = [] } = this.parts.extras(ofParts);
        const read: ManifestDto = {
          kind,
          executionId,
          organization: shown,
          profile: toPinnedProfile(profile!),
          ...own(sets.slice(0, ofKind.length), shown.limits),
          checkpoints,
          integrations,
          context: [],
          memory,
          ...(learning ? { learning } : {}),
        };
        return { manifest: read, isWorthwhile: contextual.some((_, index) => sets[ofKind.length + index]!.length > 0) };
      },
    });
    if (isWorthwhile) manifest.context = await this.context.find(execution, subjectOf(manifest));
    return withinLimit(manifest);
  }
}

function toManifestOrganization(row: OrganizationRow): ManifestDto['organization'] {
  const { config, constraints, id, slug, name, website, defaultCurrency, authorizationEpoch } = toOrganization(row);
  const { departments, limits, timezone } = config;
  return { id, slug, name, website, timezone, defaultCurrency, departments, constraints, limits, authorizationEpoch };
}
