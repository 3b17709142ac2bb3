import { AgentFailure } from '../failure.ts';
import { quote } from '../text.ts';
import type { Agent, Delivery, Work } from './agent.ts';

/** Passages that an answer cites. */
const CITED = 3;

/** Answers from what the organization knows, as far as the manifest brings it, and says where each sentence stands. */
export const known: Agent = async (work) => {
  const { task, context } = work.manifest;
  const subject = `${task.title}\n${task.spec.objective}`;
  const cited = await work.step('known', async () => {
    const found = [];
    for (const { knowledgeId, title, text } of await knownAbout(work, context)) {
      const record = await work.record(knowledgeId);
      const [evidence] = record?.metadata.evidence ?? [];
      if (evidence) found.push({ title, knowledgeId, said: quote(text, subject), ...evidence });
    }
    return found;
  });
  if (cited.length === 0)
    throw new AgentFailure(
      'nothing_known',
      'Nothing that is known is about this; name inputs, or bring material',
      'config',
    );
  const answer: Delivery = {
    kind: 'answer',
    name: 'answer.md',
    mediaType: 'text/markdown',
    text: `${[
      `# ${task.title}`,
      ...cited.map(({ said }, index) => `“${said}” [${index + 1}]`),
      cited
        .map(
          ({ path, sha256, knowledgeId }, index) => `[${index + 1}] ${path}, SHA-256 ${sha256}, record ${knowledgeId}`,
        )
        .join('\n'),
    ].join('\n\n')}\n`,
  };
  const [first] = cited;
  const summary = `“${first!.said}” (${first!.path})`;
  return { kind: 'completed', summary, deliveries: [answer] };
};

/** What the manifest brings; where that is nothing, because few words of the task are the records', what a search finds. */
async function knownAbout(work: Work, context: Work['manifest']['context']) {
  if (context.length > 0) return context.slice(0, CITED);
  const found = await work.search(work.manifest.task.title);
  return found.slice(0, CITED).map(({ id, metadata: { title, finding }, excerpt }) => {
    return { knowledgeId: id, title, text: excerpt ?? finding };
  });
}
