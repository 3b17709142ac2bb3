/** What a person types to decide, and what a call of the turn would have to have been told. */
export type ChatCommand =
  | { readonly verb: 'approve' | 'reject'; readonly reference: string }
  | { readonly verb: 'reconcile'; readonly reference: string; readonly outcome: string };

/** A line of a person's message that begins with a command: at most three spaces, verb, reference, and perhaps more. */
const LINE = /^ {0,3}\/([a-z]+)[ \t]+([a-z0-9-]+)[.,;:!]?(?:[ \t]+(.*))?$/i;
/** The first word of the rest; letters and digits of any script go on with a word. */
const OUTCOME = /^([a-z_]+)(?![\p{L}\p{M}\p{N}_-])/iu;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** As the message that refuses a decision names it. */
export function commandText(command: ChatCommand): string {
  const { verb, reference } = command;
  return command.verb === 'reconcile' ? `/${verb} ${reference} ${command.outcome}` : `/${verb} ${reference}`;
}

/**
 * Whether a person's own texts hold exactly this command, as a line that begins with it, in any case. Quoted lines, lines of
 * a block of code and words inside of a line are no commands, and where the texts decide an action in two ways, neither
 * counts. Compares ASCII only: another script's letters that look the same, or fold to the same, are other letters.
 */
export function isCommanded(texts: readonly string[], command: ChatCommand): boolean {
  const wanted = commandText(command).toLowerCase();
  const given = new Set(
    texts
      .flatMap(linesOutsideCode)
      .map(commandOf)
      .filter((each) => each?.reference === command.reference.toLowerCase())
      .map((each) => each!.text),
  );
  return given.size === 1 && given.has(wanted);
}

interface Parsed {
  readonly reference: string;
  /** In lower case. */
  readonly text: string;
}

function commandOf(line: string): Parsed | undefined {
  const [, verb = '', reference = '', rest = ''] = LINE.exec(line) ?? [];
  const named = { verb: verb.toLowerCase(), reference: reference.toLowerCase() };
  if (named.verb === 'approve' || named.verb === 'reject')
    return { reference: named.reference, text: `/${named.verb} ${named.reference}` };
  if (named.verb !== 'reconcile') return undefined;
  const [outcome] = OUTCOME.exec(rest) ?? [];
  return outcome === undefined || !isAscii(outcome)
    ? undefined
    : { reference: named.reference, text: `/${named.verb} ${named.reference} ${outcome.toLowerCase()}` };
}

/** Case folding takes the Kelvin sign for a k, and a long s for an s. */
function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** The lines of a text that Markdown would not show as a block of code. One that is never closed goes to the end. */
function linesOutsideCode(text: string): string[] {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [, marks] = FENCE.exec(line) ?? [];
    if (fence === undefined && marks !== undefined) fence = marks;
    else if (fence === undefined) lines.push(line);
    else if (marks?.startsWith(fence) && line.trim() === marks) fence = undefined;
  }
  return lines;
}
