import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads, Transactions } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { refuseUnsafeTexts } from '../../kernel/logging/index.ts';
import { wordsDigestOf } from '../knowledge/index.ts';
import { ActivityLogService, actorColumns } from '../organizations/index.ts';
import { LearningCyclesService } from './learning-cycles.service.ts';
import type { LearningCycleDto, LearningDto, RevokedLessonDto } from './learning.dto.ts';
import { LearningErrors } from './learning.errors.ts';
import {
  holdProfile,
  learningInputs,
  type LearningOf,
  learningProfiles,
  lessonsOf,
  revocationOf,
} from './learning.queries.ts';
import { toLearning } from './learning-view.ts';
import { countRevocation, lockMemory, memoryFacts, recordRevocation, removeLesson } from './memory.queries.ts';

/** What owners do with learning: read it, ask for a cycle, take lessons back. */
@Injectable()
export class LearningService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly cycles: LearningCyclesService,
    private readonly activity: ActivityLogService,
  ) {}

  list(owner: OwnerPrincipal, organizationId: string): Promise<LearningDto[]> {
    return this.reads.listInOrganization(owner, organizationId, learningList({ organizationId, profileKey: null }));
  }

  async read(owner: OwnerPrincipal, organizationId: string, profileKey: string): Promise<LearningDto> {
    const list = learningList({ organizationId, profileKey });
    const [learning] = await this.reads.listInOrganization(owner, organizationId, list);
    if (!learning) throw new ApiError(LearningErrors.profileNotFound);
    return learning;
  }

  refresh(owner: OwnerPrincipal, organizationId: string, profileKey: string): Promise<LearningCycleDto> {
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const [profile] = await tx.rows(holdProfile(organizationId, profileKey));
      if (!profile) throw new ApiError(LearningErrors.profileNotFound);
      if (!profile.isEnabled) throw new ApiError(LearningErrors.profileDisabled);
      return (await this.cycles.begin(tx, profile.id, { actor: owner })).cycle;
    });
  }

  /** Takes a lesson back for good, of a disabled profile too; again, it answers with the first reason. */
  revoke(
    owner: OwnerPrincipal,
    organizationId: string,
    profileKey: string,
    { key, reason }: { readonly key: string; readonly reason: string },
  ): Promise<RevokedLessonDto> {
    // Shown to every run of the profile that learns.
    refuseUnsafeTexts({ reason });
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const [profile] = await tx.rows(holdProfile(organizationId, profileKey));
      if (!profile) throw new ApiError(LearningErrors.profileNotFound);
      const of = { organizationId, agentProfileId: profile.id };
      const [, [memory], [removed]] = await tx.batch([lockMemory(of), memoryFacts(of), removeLesson(of, key)]);
      if (memory && removed) {
        const by = actorColumns(owner);
        const { now: at } = memory;
        const { lesson } = removed;
        await tx.batch([
          recordRevocation(of, { key, lesson, digest: wordsDigestOf(lesson), reason, by, at }),
          countRevocation(of, at),
          ...this.activity.entry(tx, {
            actor: owner,
            verb: 'lesson.revoked',
            subject: { kind: 'agent_profile', id: profile.id, label: profile.name },
            details: { lessonKey: key },
          }),
        ]);
      }
      const [revoked] = await tx.rows(revocationOf(of, key));
      if (!revoked) throw new ApiError(LearningErrors.lessonNotFound);
      const { lesson, reason: first, by, at } = revoked;
      return { key, lesson, revocation: { reason: first, by, at } };
    });
  }
}

/** The learning of profiles, read in one round trip. */
export function learningList(of: LearningOf) {
  return {
    statements: () => [learningProfiles(of), lessonsOf(of), learningInputs(of)] as const,
    result: ([profiles, lessons, inputs]: Parameters<typeof toLearning>) => toLearning(profiles, lessons, inputs),
  };
}
