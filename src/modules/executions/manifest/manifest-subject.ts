import type { ManifestDto } from './manifest.dto.ts';

/** How much of the work is looked for in what the organization knows, in UTF-16 code units. */
const LONGEST = 2_000;

/** What an execution is about: the title and objective of its task, or the message that its turn answers. */
export function subjectOf({ executionId, task, messages = [] }: ManifestDto): string {
  if (task) return `${task.title}\n${task.spec.objective}`.slice(0, LONGEST);
  const questionId = messages.find(({ id }) => id === executionId)?.replyToMessageId;
  const question = messages.find(({ id }) => id === questionId);
  return (question?.parts ?? [])
    .map(({ text }) => text)
    .join('\n')
    .slice(0, LONGEST);
}
