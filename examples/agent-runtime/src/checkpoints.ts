import { Refused, type WorkManifest } from './api.ts';
import type { RunLease } from './run-lease.ts';

/**
 * Keeps results of steps beyond their run. Stores a result as an artifact of the run, and a checkpoint row of the task
 * that names it; a later run of the same task finds the row and uses the result instead of doing the step again.
 */
export class Checkpoints {
  /** Number of steps that this run did itself. */
  done = 0;
  private readonly lease: RunLease;
  private readonly manifest: WorkManifest;
  private readonly pace: () => Promise<void>;

  constructor(lease: RunLease, manifest: WorkManifest, pace: () => Promise<void>) {
    this.lease = lease;
    this.manifest = manifest;
    this.pace = pace;
  }

  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const { id, version } = this.manifest.task;
    const key = `${id}.${name}`;
    const known = this.manifest.checkpoints.find((each) => each.namespace === 'task' && each.key === key);
    const kept = known && (await this.kept(key));
    if (kept !== undefined) {
      this.lease.log('execution', 'info', `step ${name} kept`, 'an earlier run of this task had done it');
      return JSON.parse(kept) as T;
    }
    await this.pace();
    this.lease.over.throwIfAborted();
    const result = await work();
    const { uri } = await this.lease.store(JSON.stringify(result));
    const summary = `Step ${name} is done`;
    const payload = { kind: 'task_checkpoint', taskId: id, taskVersion: version, summary, artifactUris: [uri] };
    await this.lease.keepCheckpoint(key, payload, known?.version ?? 0);
    this.done += 1;
    this.lease.log('execution', 'completed', `step ${name}`);
    return result;
  }

  /** The result that the checkpoint names; undefined if row or bytes are missing, so that the step is done again. */
  private async kept(key: string): Promise<string | undefined> {
    try {
      const { artifactUris } = await this.lease.checkpoint(key);
      return artifactUris[0] && (await this.lease.readUri(artifactUris[0]));
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  }
}
