import type { MessageDto } from '../../chats/index.ts';
import type { TaskDto } from '../../tasks/index.ts';
import type { ManifestDto } from './manifest.dto.ts';
import type { RelatedTaskDto, ResolvedInputDto } from './manifest-task.dto.ts';

/** A manifest as JSON, in bytes. */
export const MAX_MANIFEST_BYTES = 1024 * 1024;
/** What is left for the envelope around it. */
const ENVELOPE_BYTES = 1_024;

/** Messages that stay whatever they take: the question and the answer that is being written. */
const MESSAGES_KEPT = 2;
const ELLIPSIS = '…';

/**
 * Keeps a manifest within its limit. What the organization knows goes first, what fits worst before the rest. The largest results of other tasks lose their artifacts first, then their summaries,
 * then artifact inputs what they name, then the result to verify its artifacts, then the longest text inputs their ends;
 * the tasks themselves have all of it. The oldest messages of a chat go, then the ends of the longest texts that are left.
 * What is cut is marked; objective and criteria are never cut, since their bounds fit the limit.
 */
export function withinLimit(whole: ManifestDto, maxBytes = MAX_MANIFEST_BYTES - ENVELOPE_BYTES): ManifestDto {
  const tooMuch = sizeOf(whole) - maxBytes;
  if (tooMuch <= 0) return whole;
  const [context, excess] = withoutLast(whole.context, tooMuch);
  const manifest = { ...whole, context };
  if (excess <= 0) return manifest;
  const { dependencies = [], children = [], artifactInputs, messages } = manifest;
  if (messages) return { ...manifest, messages: withShorterTexts(...withoutOldest(messages, excess)) };
  const shortened = shortenedResults([...dependencies, ...children], excess);
  const shown = (tasks: readonly RelatedTaskDto[]) => tasks.map((task) => shortened.get(task) ?? task);
  const cut = { ...manifest, dependencies: shown(dependencies), children: shown(children) };
  let left = sizeOf(cut) - maxBytes;
  if (left <= 0) return cut;
  if (artifactInputs) cut.artifactInputs = withoutLargest(artifactInputs, left);
  if (cut.unverified && sizeOf(cut) > maxBytes) cut.unverified = withoutArtifacts(cut.unverified);
  left = sizeOf(cut) - maxBytes;
  return left > 0 && cut.task ? { ...cut, task: withShorterInputs(cut.task, left) } : cut;
}

/** The first entries, and how much they still are too large. */
function withoutLast<Entry>(entries: readonly Entry[], excess: number): [Entry[], number] {
  let kept = entries.length;
  while (excess > 0 && kept > 0) {
    kept -= 1;
    excess -= sizeOf(entries[kept]) + 1;
  }
  return [entries.slice(0, kept), excess];
}

function withShorterInputs(task: TaskDto, excess: number): TaskDto {
  const texts = task.spec.inputs.filter(isTextInput);
  const cut = withoutEnds(texts, excess);
  const inputs = task.spec.inputs.map((input) => (isTextInput(input) ? { ...input, text: cut.get(input)! } : input));
  return { ...task, spec: { ...task.spec, inputs } };
}

function isTextInput<Input extends TaskDto['spec']['inputs'][number]>(
  input: Input,
): input is Extract<Input, { kind: 'text' }> {
  return input.kind === 'text';
}

function withoutLargest(inputs: readonly ResolvedInputDto[], excess: number): ResolvedInputDto[] {
  const cut = new Map<ResolvedInputDto, ResolvedInputDto>();
  for (const input of inputs.toSorted((a, b) => sizeOf(b) - sizeOf(a))) {
    if (excess <= 0) break;
    const after = { ...input, artifacts: [], truncated: true };
    cut.set(input, after);
    excess -= sizeOf(input) - sizeOf(after);
  }
  return inputs.map((input) => cut.get(input) ?? input);
}

function shortenedResults(tasks: readonly RelatedTaskDto[], excess: number): Map<RelatedTaskDto, RelatedTaskDto> {
  const shortened = new Map<RelatedTaskDto, RelatedTaskDto>();
  const sized = tasks.map((task) => ({ task, size: sizeOf(task) }));
  const largestFirst = sized.toSorted((a, b) => b.size - a.size).map(({ task }) => task);
  for (const shorten of [withoutArtifacts, withoutResult])
    for (const task of largestFirst) {
      if (excess <= 0) break;
      const before = shortened.get(task) ?? task;
      const after = shorten(before);
      shortened.set(task, after);
      excess -= sizeOf(before) - sizeOf(after);
    }
  return shortened;
}

function withoutArtifacts(task: RelatedTaskDto): RelatedTaskDto {
  if (!task.result || !('artifacts' in task.result)) return task;
  return { ...task, result: { ...task.result, artifacts: [], truncated: true } };
}

function withoutResult(task: RelatedTaskDto): RelatedTaskDto {
  if (!task.result) return task;
  return { ...task, result: { kind: task.result.kind, truncated: true } };
}

/** The latest messages, and how much they still are too large. */
function withoutOldest(messages: readonly MessageDto[], excess: number): [MessageDto[], number] {
  let from = 0;
  while (excess > 0 && messages.length - from > MESSAGES_KEPT) {
    excess -= sizeOf(messages[from]) + 1;
    from += 1;
  }
  return [messages.slice(from), excess];
}

function withShorterTexts(messages: readonly MessageDto[], excess: number): MessageDto[] {
  const cut = withoutEnds(
    messages.flatMap((message) => message.parts),
    excess,
  );
  const shown = (part: MessageDto['parts'][number]) => ({ ...part, text: cut.get(part)! });
  return messages.map((message) => ({ ...message, parts: message.parts.map(shown) }));
}

/** The text of each, the longest without their ends. */
function withoutEnds<Holder extends { readonly text: string }>(
  holders: readonly Holder[],
  excess: number,
): Map<Holder, string> {
  const texts = new Map(holders.map((holder) => [holder, holder.text]));
  for (const holder of holders.toSorted((a, b) => Buffer.byteLength(b.text) - Buffer.byteLength(a.text))) {
    if (excess <= 0) break;
    const text = cutOff(holder.text, excess);
    texts.set(holder, text);
    excess -= sizeOf(holder.text) - sizeOf(text);
  }
  return texts;
}

/** Cuts `bytes` off the end of a text, which are at least as many in JSON; never cuts through a character. */
export function cutOff(text: string, bytes: number): string {
  const kept = Buffer.from(text).subarray(0, -(bytes + Buffer.byteLength(ELLIPSIS)));
  return new TextDecoder().decode(kept, { stream: true }) + ELLIPSIS;
}

/** A value as JSON, in bytes. */
export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
