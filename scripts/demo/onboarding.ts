import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, resolve, sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Api, type Data, Refused } from '../../examples/agent-runtime/src/api.ts';
import type { Decider } from './decisions.ts';
import type { Memory } from './memory.ts';
import type { Objective } from './objective.ts';
import type { Screen } from './task-tree.ts';

type Onboarding = Data<'get', '/organizations/{organizationId}/onboarding'>;
type Department = Onboarding['departments'][number];

const LOOK_EVERY_MS = 200;
const DEPARTMENTS: readonly Department[] = ['growth', 'engineering', 'support'];
const TYPES: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.odt': 'application/vnd.oasis.opendocument.text',
  '.ods': 'application/vnd.oasis.opendocument.spreadsheet',
  '.odp': 'application/vnd.oasis.opendocument.presentation',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.eml': 'message/rfc822',
  '.csv': 'text/csv',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.json': 'application/json',
};

interface SourceFile {
  readonly path: string;
  readonly fileName: string;
  /** Of files in a folder that is named like one. */
  readonly department: Department | undefined;
}

/** The files of a folder, and of folders in it; those of `growth/`, `engineering/` and `support/` are for these. */
export function filesOf(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => {
      const top = resolve(parentPath)
        .slice(resolve(folder).length + 1)
        .split(sep)[0];
      const department = DEPARTMENTS.find((each) => each === top);
      return { path: join(parentPath, name), fileName: name, department };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Takes a folder of files from sign-up to an organization at work; where it was killed, it goes on. Returns its id. */
export class SignUp {
  private readonly api: Api;
  private readonly memory: Memory;
  private readonly screen: Screen;
  private readonly signal: AbortSignal;

  constructor(api: Api, memory: Memory, screen: Screen, signal: AbortSignal) {
    this.api = api;
    this.memory = memory;
    this.screen = screen;
    this.signal = signal;
  }

  async with(folder: string, decider: Decider): Promise<string> {
    const organizationId = await this.begin(folder);
    const at = { path: { organizationId }, signal: this.signal };
    let onboarding = await this.api.call('get', '/organizations/{organizationId}/onboarding', at);
    if (onboarding.state === 'completed') return organizationId;
    if (onboarding.state !== 'reviewing') {
      for (const file of filesOf(folder)) await this.bring(organizationId, file);
      await this.api.call('post', '/organizations/{organizationId}/onboarding/start', at);
    }
    do {
      onboarding = await this.api.call('get', '/organizations/{organizationId}/onboarding', at);
      await wait(LOOK_EVERY_MS, undefined, { signal: this.signal });
    } while (onboarding.state === 'reviewing');
    const { review, error } = onboarding;
    if (!review) throw new Error(`The review failed: ${error?.message}`);
    this.show(review);
    const { sha256: reviewSha256, warnings } = review;
    const allowWarnings = warnings.length > 0 && (await decider.allows(warnings.length, this.signal));
    if (warnings.length > 0 && !allowWarnings)
      throw new Error('Nothing is completed. Mend the files, and start again.');
    const body = { reviewSha256, allowWarnings };
    const { organization } = await this.api.call('post', '/organizations/{organizationId}/onboarding/complete', {
      ...at,
      body,
    });
    this.screen.say(
      `The owner completes it${allowWarnings ? ', warnings and all' : ''}: ${organization.slug} is ${organization.status}.\n`,
    );
    return organizationId;
  }

  /** Creates the organization, or finds the one that an earlier start created for this folder. */
  private async begin(folder: string): Promise<string> {
    const { organizationId, organizationKey, round } = this.memory.known;
    if (organizationId) return organizationId;
    const name = basename(resolve(folder));
    const slug = `${slugOf(name)}-${round}`;
    const found = new Set(filesOf(folder).map(({ department }) => department));
    const departments = DEPARTMENTS.filter((each) => found.has(each));
    const begun = await this.api.call('post', '/organization-onboardings', {
      body: {
        name,
        slug,
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        departments: departments.length > 0 ? departments : [...DEPARTMENTS],
      },
      idempotencyKey: organizationKey,
      signal: this.signal,
    });
    this.memory.learn({ organizationId: begun.organizationId });
    this.screen.say(`Signed up ${slug} with ${begun.departments.join(', ')}.`);
    return begun.organizationId;
  }

  /** Stores a file as a source under an id of its own, so that a repeat changes nothing. */
  private async bring(organizationId: string, { path, fileName, department }: SourceFile): Promise<void> {
    const mediaType = TYPES[extname(fileName).toLowerCase()] ?? 'application/octet-stream';
    try {
      await this.api.call('put', '/organizations/{organizationId}/onboarding/sources/{sourceId}', {
        path: { organizationId, sourceId: idOf(`${organizationId} ${path}`) },
        query: { kind: 'file', fileName, mediaType, ...(department ? { department } : {}) },
        bytes: readFileSync(path),
        signal: this.signal,
      });
      this.screen.say(`  + ${fileName}${department ? ` for ${department}` : ''}`);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.screen.say(`  - ${fileName} stays here: ${error.reason}`);
    }
  }

  private show({ summary, sources, warnings, sha256 }: NonNullable<Onboarding['review']>): void {
    this.screen.say(`\nReviewed: ${summary} Its digest is ${sha256.slice(0, 12)}…`);
    for (const { fileName, characters, foundMediaType } of sources)
      this.screen.say(`  ${fileName.padEnd(28)} ${String(characters).padStart(7)} characters  ${foundMediaType ?? ''}`);
    for (const { code, message } of warnings) this.screen.say(`  ! ${code}: ${message}`);
  }
}

/** Hands in a task that the material answers: a question, or else a sentence of the material. */
export async function askAbout(
  api: Api,
  memory: Memory,
  organizationId: string,
  question: string | undefined,
  signal: AbortSignal,
): Promise<Objective> {
  const { taskId, objectiveKey } = memory.known;
  const resumed = taskId !== undefined;
  if (!resumed) {
    const title = question ?? `Where is it written: ${await sentenceOfMaterial(api, organizationId, signal)}`;
    const { id } = await api.call('post', '/organizations/{organizationId}/tasks', {
      path: { organizationId },
      body: { title, spec: { objective: title }, dedupeKey: 'demo:question' },
      idempotencyKey: objectiveKey,
      signal,
    });
    memory.learn({ taskId: id });
  }
  const task = await api.call('get', '/organizations/{organizationId}/tasks/{taskRef}', {
    path: { organizationId, taskRef: memory.known.taskId! },
    signal,
  });
  return { organizationId, taskId: task.id, identifier: task.identifier, resumed };
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
const [SHORTEST, LONGEST] = [24, 150];

/** A sentence of the longest material that is neither a heading nor a page. */
async function sentenceOfMaterial(api: Api, organizationId: string, signal: AbortSignal): Promise<string> {
  const { items: records } = await api.call('get', '/organizations/{organizationId}/knowledge', {
    path: { organizationId },
    query: { origin: 'material' },
    signal,
  });
  const [longest] = records.map(({ metadata }) => metadata.finding).sort((a, b) => b.length - a.length);
  if (longest === undefined) throw new Error('None of the files has text that agents could use.');
  const sentences = longest
    .split('\n')
    .flatMap((line) => Array.from(SENTENCES.segment(line), ({ segment }) => segment.trim()));
  const fits = ({ length }: string) => length >= SHORTEST && length <= LONGEST;
  return sentences.find(fits) ?? [...longest.replace(/\s+/g, ' ')].slice(0, LONGEST).join('');
}

function slugOf(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 40).replace(/-$/, '') || 'company';
}

/** A UUID that is the same for the same name. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
