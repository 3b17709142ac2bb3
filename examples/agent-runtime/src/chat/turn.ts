import { setTimeout as wait } from 'node:timers/promises';
import { type Api, type ChatManifest, leaseIsOver, type Turn } from '../api.ts';
import { failureOf } from '../failure.ts';
import { HARNESS, MODEL, type Settings } from '../run.ts';
import { cut } from '../text.ts';
import { answer } from './answers.ts';
import { TurnLease } from './turn-lease.ts';

/** The title of a chat until it has a subject. */
const UNTITLED = 'New chat';
const MAX_TITLE = 60;

/**
 * Carries one turn from its claim to its end. Whatever happens, the backend is told how it ended, or the lease lapses.
 */
export async function answerTurn(api: Api, turn: Turn, settings: Settings, stopping: AbortSignal): Promise<void> {
  const say = (line: string) => console.log(`chat ${turn.chatId}  ${line}`);
  const lease = new TurnLease(api, turn);
  lease.endWith(stopping);
  try {
    await lease.running(HARNESS, MODEL);
    const manifest = await lease.manifest();
    const question = textOf(manifest, turn.userMessageId);
    say(`attempt ${manifest.attempt}: ${cut(question.replace(/\s+/g, ' '), 200)}`);
    for await (const piece of answer(question, lease)) {
      await lease.append(piece);
      await wait(settings.paceMs, undefined, { signal: lease.over });
    }
    const { status } = await lease.complete(manifest.chat.title === UNTITLED ? titleOf(question) : undefined);
    say(`answer ${status}`);
  } catch (error) {
    await give(lease, lease.over.aborted ? (lease.over.reason as Error) : (error as Error)).then(say, () =>
      say('its end could not be reported; the lease will lapse'),
    );
  } finally {
    lease.close();
  }
}

/** Ends a turn that was not completed. If it may be retried, the next runtime that gets it writes the answer again. */
async function give(lease: TurnLease, reason: Error): Promise<string> {
  if (leaseIsOver(reason)) return 'the lease has ended; the present holder of the turn continues';
  if (lease.isCancelled) return `answer ${(await lease.cancelled()).status}`;
  const failure = failureOf(reason);
  return `${failure.code}: ${failure.message}: answer ${(await lease.fail(failure)).status}`;
}

function textOf({ messages }: ChatManifest, messageId: string): string {
  const message = messages.find(({ id }) => id === messageId);
  return (message?.parts ?? []).map(({ text }) => text).join('\n');
}

/** The first line that is not blank. */
function titleOf(question: string): string | undefined {
  const line = question.split('\n').find((each) => each.trim() !== '');
  return line && cut(line.trim(), MAX_TITLE);
}
