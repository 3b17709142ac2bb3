import type { LearningDto, ProfileMemoryDto } from './learning.dto.ts';
import type { LearningInputRow, LearningProfileRow, LessonRow } from './learning.queries.ts';

/** Profiles with their lessons and questions. */
export function toLearning(
  profiles: readonly LearningProfileRow[],
  lessons: readonly LessonRow[],
  inputs: readonly LearningInputRow[],
): LearningDto[] {
  const lessonsOf = Map.groupBy(lessons, ({ agentProfileId }) => agentProfileId);
  const inputsOf = Map.groupBy(inputs, ({ agentProfileId }) => agentProfileId);
  return profiles.map((profile) => ({
    profileKey: profile.profileKey,
    profileName: profile.profileName,
    department: profile.department,
    memory: profile.revision === null ? null : toMemory(profile, lessonsOf.get(profile.agentProfileId) ?? []),
    inputs: (inputsOf.get(profile.agentProfileId) ?? []).map(withoutProfile),
  }));
}

function toMemory(profile: LearningProfileRow, lessons: readonly LessonRow[]): ProfileMemoryDto {
  const { profileKey, revision, watermarkTaskId, suggestions, lastLearnedAt, cycleStartedAt, sourceTaskId } = profile;
  return {
    kind: 'profile_memory',
    profileKey,
    revision: revision!,
    watermarkTaskId,
    lessons: lessons.map((lesson) => ({ ...withoutProfile(lesson), origin: 'verified_learning' })),
    suggestions: suggestions as ProfileMemoryDto['suggestions'],
    lastLearnedAt,
    cycleStartedAt,
    sourceTaskId,
  };
}

function withoutProfile<Row extends { readonly agentProfileId: string }>(row: Row): Omit<Row, 'agentProfileId'> {
  const { agentProfileId: _profile, ...shown } = row;
  return shown;
}
