import { setTimeout as wait } from 'node:timers/promises';
import type { Agent, Finished, Work } from './agents/agent.ts';
import { discovery } from './agents/discovery.ts';
import { engineering } from './agents/engineering.ts';
import { growth } from './agents/growth.ts';
import { learning } from './agents/learning.ts';
import { operator } from './agents/operator.ts';
import { support } from './agents/support.ts';
import { type Api, type Claim, leaseIsOver, type Result, type WorkManifest } from './api.ts';
import { Checkpoints } from './checkpoints.ts';
import { AgentFailure, failureOf } from './failure.ts';
import type { Worker } from './lease.ts';
import { RunLease } from './run-lease.ts';
import { cut } from './text.ts';
import { Workspace } from './workspace.ts';

/** Agents by the key of the profile that owns the task. */
export const AGENTS: Readonly<Record<string, Agent>> = { operator, growth, support, engineering };

/** Agents by the kind of the task, whichever profile owns it. */
const AGENTS_OF_KINDS: Readonly<Record<string, Agent>> = { discovery, learning };

export const HARNESS = 'agent-runtime-example';
/** The agents here are plain programs. If yours calls a model, name it here. */
export const MODEL = 'none';
const WORKSPACE = 'workspace:';
const WEBHOOK = 'webhook:';
/** How much of a record or a lesson a log line shows. */
const MAX_TOLD = 160;

export interface Settings extends Worker {
  readonly workspaceDir: string;
  /** A folder of the workspace with files about the company; undefined if there is none. */
  readonly companyDir: string | undefined;
  /** A pause in ms before each step, so that people can watch. */
  readonly paceMs: number;
}

/** Carries one claim from start to end. Whatever happens, the backend is told how it ended, or the lease lapses. */
export async function run(api: Api, claim: Claim, settings: Settings, stopping: AbortSignal): Promise<void> {
  let name = claim.taskId;
  const say = (line: string) => console.log(`${name}  ${line}`);
  const { workerId, bootId } = settings;
  const lease = await RunLease.start(api, claim, { workerId, bootId }, stopping, say);
  lease.endWith(stopping);
  let steps = { done: 0 };
  try {
    await lease.running(HARNESS, MODEL, `file://${settings.workspaceDir}`);
    const manifest = await lease.manifest();
    name = manifest.task.identifier;
    lease.log('lifecycle', 'started', `${manifest.profile.key}, ${manifest.mode}, attempt ${manifest.attempt}`);
    tellKnown(lease, manifest);
    const agent = AGENTS_OF_KINDS[manifest.task.kind] ?? AGENTS[manifest.profile.key];
    if (!agent) throw new AgentFailure('no_agent', `No agent is called ${manifest.profile.key}`, 'config');
    const checkpoints = new Checkpoints(lease, manifest, () =>
      wait(settings.paceMs, undefined, { signal: lease.over }),
    );
    steps = checkpoints;
    const workspace = new Workspace(settings.workspaceDir);
    const companyFiles = settings.companyDir ? await workspace.list(settings.companyDir) : [];
    const finished = await agent(workFor(lease, manifest, checkpoints, workspace, companyFiles));
    lease.log('lifecycle', 'completed', finished.kind, finished.summary);
    const result = await hand(lease, finished);
    say(`run ${await lease.complete(result, steps.done, HARNESS, `file://${settings.workspaceDir}`)}`);
  } catch (error) {
    const reason = lease.over.aborted ? (lease.over.reason as Error) : (error as Error);
    if (leaseIsOver(reason)) say('the lease is over; another run goes on');
    else {
      const failure = failureOf(reason);
      say(`${failure.code}: ${failure.message}`);
      await lease.fail(failure, steps.done, HARNESS).then(
        (status) => say(`run ${status}`),
        () => say('its failure could not be reported; the lease will lapse'),
      );
    }
  } finally {
    lease.close();
  }
}

/** Logs what the manifest brings from earlier work, so that owners see what an answer rests on. */
function tellKnown(lease: RunLease, { context, memory }: WorkManifest): void {
  const told = (what: string, entries: readonly string[]) => {
    const shown = entries.map((entry) => cut(entry.replace(/\s+/g, ' '), MAX_TOLD)).join(' · ');
    if (entries.length > 0) lease.log('execution', 'info', `${what}: ${entries.length}`, shown);
  };
  told(
    'knows',
    context.map(({ title, text }) => `${title}: ${text}`),
  );
  told('remembers', memory?.lessons.map(({ lesson }) => lesson) ?? []);
}

function workFor(
  lease: RunLease,
  manifest: WorkManifest,
  checkpoints: Checkpoints,
  workspace: Workspace,
  companyFiles: readonly string[],
): Work {
  const sources = [...manifest.children, ...manifest.dependencies];
  const guarded = <T>(work: () => Promise<T>): Promise<T> => {
    lease.over.throwIfAborted();
    return work();
  };
  return {
    manifest,
    inputs: urisOf(manifest, WORKSPACE),
    companyFiles,
    webhookId: urisOf(manifest, WEBHOOK)[0],
    read: (path) => guarded(() => workspace.read(path)),
    list: (folder) => guarded(() => workspace.list(folder)),
    step: (name, work) => checkpoints.step(name, work),
    delivered: async (kind) => {
      for (const { runId, result } of sources) {
        if (result?.kind !== 'completed') continue;
        const found = result.artifacts?.find((artifact) => artifact.kind === kind);
        if (found?.sha256 && runId) return lease.read(runId, found.sha256);
      }
      return undefined;
    },
    records: (origin) => lease.knowledge.list(origin),
    search: (question) => lease.knowledge.search(question),
    record: (knowledgeId) => lease.knowledge.read(knowledgeId),
    publish: async (finding, shownBy) => {
      const published = await lease.publish(finding, shownBy);
      if ('refusal' in published)
        lease.log('execution', 'failed', `${finding.key} is not published`, published.refusal);
      else lease.log('execution', 'completed', `published ${finding.key}`, finding.title);
      return published;
    },
    task: (ref) => lease.task(ref),
    stage: (outcome) => lease.stage(outcome),
    ask: (question) => lease.ask(question),
    propose: (proposal) => lease.propose(proposal),
    connector: (purpose) => lease.connectors.of(manifest, purpose),
    repository: () => lease.connectors.repository(manifest),
  };
}

/** The inputs of this scheme, without it. */
function urisOf({ task }: WorkManifest, scheme: string): string[] {
  return task.spec.inputs.flatMap((input) =>
    input.kind === 'uri' && input.uri.startsWith(scheme) ? [input.uri.slice(scheme.length)] : [],
  );
}

/** Stores the deliveries and returns where; a plan or lessons are already staged, and a wait delivers nothing yet. */
async function hand(lease: RunLease, finished: Finished): Promise<Result> {
  if (finished.kind !== 'completed') return finished;
  const { kind, summary } = finished;
  const artifacts: NonNullable<Extract<Result, { kind: 'completed' }>['artifacts']> = [];
  for (const { kind, name, mediaType, text } of finished.deliveries) {
    artifacts.push({ kind, name, path: name, mediaType, ...(await lease.store(text)) });
  }
  return { kind, summary, artifacts };
}
