import type { Sent } from '../../actions/index.ts';
import { withoutSecrets } from '../../gateway/index.ts';
import { BrokenFraming, type PushReport, reportIn } from '../protocol/index.ts';

/** A host's whole answer to a push. */
export interface PushAnswer {
  readonly status: number;
  readonly hasReport: boolean;
  readonly body: Buffer;
}

/** Answers that a server in between may give while the host goes on. */
const UNCERTAIN: ReadonlySet<number> = new Set([408, 409, 425]);

const REFUSALS: Readonly<Record<number, readonly [code: string, message: string]>> = {
  401: ['credential_refused', 'The code host refuses the credential of the connector; an owner can connect it anew.'],
  403: ['scope_lost', 'The credential of the connector may not push to this repository.'],
  404: ['not_found', 'The code host has no such repository in the scope of this connector.'],
  413: ['too_large', 'The code host takes no pack of this size.'],
  429: ['rate_limited', 'The code host takes no more pushes right now.'],
};

/** What was pushed, and with what the host was asked. */
export interface PushAsked {
  readonly ref: string;
  readonly hasSideBand: boolean;
  /** Left out of what the host says, however it is cut into bands and lines. */
  readonly token: string;
}

/** What became of a push by the host's answer: only its own word on the pack and the ref is certain, and a plain refusal. */
export function verdictOf({ status, hasReport, body }: PushAnswer, asked: PushAsked): Sent {
  if (status === 200 && hasReport) return reported(body, asked);
  if (status >= 400 && status < 500 && !UNCERTAIN.has(status)) {
    const [code, message] = REFUSALS[status] ?? ['provider_rejected', 'The code host refuses the push as it is.'];
    return { outcome: 'failed', error: { code, message, providerStatus: status } };
  }
  return uncertain('bad_answer', 'The code host did not answer as one that takes pushes does.', status);
}

export function uncertain(code: string, message: string, providerStatus?: number): Sent {
  return {
    outcome: 'ambiguous',
    error: { code, message, ...(providerStatus === undefined ? {} : { providerStatus }) },
  };
}

function reported(body: Buffer, { ref, hasSideBand, token }: PushAsked): Sent {
  let report: PushReport;
  try {
    report = reportIn(body, hasSideBand, (text) => withoutToken(text, token));
  } catch (error) {
    if (!(error instanceof BrokenFraming)) throw error;
    return uncertain('bad_answer', 'The report of the code host is not one that can be read.', 200);
  }
  const { unpackFault, refs, remarks = [] } = report;
  const said = remarks.length === 0 ? '' : ` It said: ${remarks.join(' / ')}`;
  const verdict = refs.find((each) => each.ref === ref);
  if (unpackFault !== undefined)
    return refused('pack_refused', `The code host does not take the pack: ${unpackFault}.`);
  if (!verdict) return uncertain('bad_answer', 'The report of the code host says nothing of the branch.', 200);
  if (verdict.isDone) return { outcome: 'succeeded', result: { ref, ...(remarks.length === 0 ? {} : { remarks }) } };
  return refused('ref_refused', `The code host does not move the branch: ${verdict.reason}.${said}`);
}

/** Nothing stays of a text that has the token across its lines, where it could not be told what belongs to it. */
function withoutToken(text: string, token: string): string {
  const censored = withoutSecrets(text, [token]);
  const visible = censored.replaceAll(/[^\x21-\x7e]/g, '');
  return withoutSecrets(visible, [token]) === visible ? censored : '[redacted]';
}

function refused(code: string, message: string): Sent {
  return { outcome: 'failed', error: { code, message, providerStatus: 200 } };
}
