import type { Outcome } from '../oauth.state.ts';

/** What a person is told of an outcome. */
const WORDS: Readonly<Record<Outcome, { readonly title: string; readonly text: string }>> = {
  connected: { title: 'Connected', text: 'The connector is connected. You can close this page.' },
  declined: {
    title: 'Not connected',
    text: 'The access was declined, so nothing was changed. You can close this page, or start again.',
  },
  expired: {
    title: 'This link is no longer good',
    text: 'It was used before, has expired, or belongs to another browser. Start again where you came from.',
  },
  failed: {
    title: 'Not connected',
    text: 'The connection could not be made, and nothing was changed. Start again; if that repeats, tell an operator the request id.',
  },
};

/** The page of an outcome. */
export function outcomePage(outcome: Outcome, requestId: string): string {
  const { title, text } = WORDS[outcome];
  return page(title, `<p>${text}</p>\n${footer(requestId)}`);
}

/** What is to be confirmed; everything in it was written by others. */
export interface Confirmation {
  readonly organization: string;
  readonly connector: string;
  readonly account: string | null;
  readonly scopes: readonly string[];
  /** The path of the form, and what its button carries. */
  readonly action: string;
  readonly token: string;
}

export function confirmationPage(confirmation: Confirmation, requestId: string): string {
  const { organization, connector, account, scopes, action, token } = confirmation;
  const rows = [
    ['Organization', organization],
    ['Connector', connector],
    ['Account', account ?? 'not said by the other service'],
    ['Access', scopes.length === 0 ? 'what the other service gives' : scopes.join(', ')],
  ] as const;
  const list = rows.map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`).join('\n');
  return page(
    'Connect this?',
    `<p>Only go on if you have started this yourself.</p>
<dl>
${list}
</dl>
<form method="post" action="${escaped(action)}">
<input type="hidden" name="token" value="${escaped(token)}">
<button type="submit">Connect</button>
</form>
${footer(requestId)}`,
  );
}

function footer(requestId: string): string {
  return `<p><small>Request ${escaped(requestId)}</small></p>`;
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that stands in a page as itself, without characters that turn the order of what follows. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (each) => ENTITIES[each]!).replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
}
