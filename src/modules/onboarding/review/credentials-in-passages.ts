import { redact } from '../../../kernel/logging/index.ts';

/** The rest of a key in PEM form that began in the passage before. */
const REST_OF_KEY = /^[A-Za-z0-9+/=\s]*(?:-----END [A-Z0-9 ]{1,60}-----)?/;

/** Passages that many may read, without what may be a credential; a long key may go over several of them. */
export function withoutCredentials(passages: readonly string[]): string[] {
  let isInKey = false;
  return passages.map((passage) => {
    const [rest = ''] = isInKey ? (REST_OF_KEY.exec(passage) ?? []) : [];
    const isOver = rest.includes('-----END ');
    const text = isOver || rest === passage ? passage.slice(rest.length) : passage;
    isInKey =
      (isInKey && !isOver && rest === passage) || text.lastIndexOf('-----BEGIN ') > text.lastIndexOf('-----END ');
    return text === '' && passage !== '' ? '[redacted]' : redact(text);
  });
}
