import type { ManifestDto, RelatedTaskDto } from './execution.dto.ts';

/** A manifest as JSON, in bytes. */
export const MAX_MANIFEST_BYTES = 1024 * 1024;
/** What is left for the envelope around it. */
const ENVELOPE_BYTES = 1_024;

/**
 * Keeps a manifest within its limit: the largest results of other tasks lose their artifacts first, then their summaries;
 * whoever needs them reads the task. The task's own part is bounded by what a body may carry when it is created.
 */
export function withinLimit(manifest: ManifestDto, maxBytes = MAX_MANIFEST_BYTES - ENVELOPE_BYTES): ManifestDto {
  let excess = sizeOf(manifest) - maxBytes;
  if (excess <= 0) return manifest;
  const shortened = new Map<RelatedTaskDto, RelatedTaskDto>();
  const others = [...manifest.dependencies, ...manifest.children].map((task) => ({ task, size: sizeOf(task) }));
  const largestFirst = others.toSorted((a, b) => b.size - a.size).map(({ task }) => task);
  for (const shorten of [withoutArtifacts, withoutResult])
    for (const task of largestFirst) {
      if (excess <= 0) break;
      const before = shortened.get(task) ?? task;
      const after = shorten(before);
      shortened.set(task, after);
      excess -= sizeOf(before) - sizeOf(after);
    }
  const shown = (tasks: readonly RelatedTaskDto[]) => tasks.map((task) => shortened.get(task) ?? task);
  return { ...manifest, dependencies: shown(manifest.dependencies), children: shown(manifest.children) };
}

function withoutArtifacts(task: RelatedTaskDto): RelatedTaskDto {
  if (!task.result || !('artifacts' in task.result)) return task;
  return { ...task, result: { ...task.result, artifacts: [], truncated: true } };
}

function withoutResult(task: RelatedTaskDto): RelatedTaskDto {
  if (!task.result) return task;
  return { ...task, result: { kind: task.result.kind, truncated: true } };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
