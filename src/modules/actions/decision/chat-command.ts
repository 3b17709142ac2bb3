/** What a person types to decide, and what a call of the turn would have to have been told. */
export type ChatCommand =
  | { readonly verb: 'approve' | 'reject'; readonly reference: string }
  | { readonly verb: 'reconcile'; readonly reference: string; readonly outcome: string };

/** A line of a person's message that begins with a command: at most three spaces, verb, reference, and perhaps more. */
const LINE = /^ {0,3}\/([a-z]+)[ \t]+([a-z0-9-]+)[.,;:!]?(?:[ \t]+(.*))?$/i;
/** The first word of the rest; letters and digits of any script go on with a word. */
const OUTCOME = /^([a-z_]+)(?![\p{L}\p{M}\p{N}_-])/iu;
/**
 * A line that opens a quote, a list, a block of code or HTML. Markdown may show what stands behind it inside of that, also
 * without marks of its own, so it may be somebody else's.
 */
const OPENING = /^(?: {4}|\t)|^\s*(?:[>*+-]|\d+[.)]|~{3})|[`<]/;

/** As the message that refuses a decision names it. */
export function commandText(command: ChatCommand): string {
  const { verb, reference } = command;
  return command.verb === 'reconcile' ? `/${verb} ${reference} ${command.outcome}` : `/${verb} ${reference}`;
}

/**
 * Whether a person's own texts hold exactly this command, as a line that begins with it, in any case. Words inside of a
 * line are no command, nor is anything behind the first line that may open a quote or a block of code; where the texts
 * decide an action in two ways, neither counts. Compares ASCII only: another script's letters that look the same, or fold to the same, are other letters.
 */
export function isCommanded(texts: readonly string[], command: ChatCommand): boolean {
  const wanted = commandText(command).toLowerCase();
  const given = new Set(
    texts
      .flatMap(ownLines)
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

/** The lines of a text up to the one that opens something, which is only the person's own where it begins with a command. */
function ownLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  const end = lines.findIndex((line) => OPENING.test(line));
  return end === -1 ? lines : lines.slice(0, end + 1);
}
