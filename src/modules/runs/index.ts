/** How work gets done: claims, leases, attempts, logs, artifacts, completion, the execution's manifest. */
export { type ManifestExtras, type ManifestPart, ManifestParts } from './manifest-parts.ts';
export { RunArtifact } from './run-artifact.entity.ts';
export { holdLiveRun, holdRun } from './run-hold.ts';
export { RunLog } from './run-log.entity.ts';
export { RunOutcome } from './run-outcome.entity.ts';
export { Run } from './run.entity.ts';
export { RunsModule } from './runs.module.ts';
