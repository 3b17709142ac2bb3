import PostalMime, { type Address, type Email } from 'postal-mime';
import { LIMITS, type TextCollector, UnreadableError } from '../text/index.ts';
import { readMarkup } from './read-html.ts';
import { linesOf, readParagraphs } from './read-plain-text.ts';
import type { Reader } from './reader.ts';

/** Subject, people and date, then the text; attachments are named. */
export const readMail: Reader = async (bytes, into) => {
  const mail = await parsed(bytes);
  readHead(mail, into);
  if (mail.text?.trim()) readParagraphs(linesOf([mail.text]), into);
  else if (mail.html !== undefined) readMarkup([mail.html], into);
  for (const { filename } of mail.attachments) if (filename !== null) into.paragraph(`Attachment: ${filename}`);
  return {};
};

async function parsed(bytes: Buffer): Promise<Email> {
  try {
    return await PostalMime.parse(bytes, {
      maxNestingDepth: LIMITS.mailDepth,
      maxRfc822NestingDepth: LIMITS.mailDepth,
    });
  } catch (error) {
    const isTooDeep = /nesting|headers? size/i.test((error as Error).message);
    throw new UnreadableError(isTooDeep ? 'too_complex' : 'damaged', String(error));
  }
}

function readHead({ subject, from, to, cc, date }: Email, into: TextCollector): void {
  const lines = [
    ['Subject', subject],
    ['From', from && people([from])],
    ['To', to && people(to)],
    ['Cc', cc && people(cc)],
    ['Date', date],
  ];
  const head = lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []));
  into.paragraph(head.join('\n'));
}

function people(addresses: readonly Address[]): string {
  return addresses
    .flatMap((each) => each.group ?? [each])
    .map(({ name, address }) => (name === '' ? address : `${name} <${address}>`))
    .join(', ');
}
