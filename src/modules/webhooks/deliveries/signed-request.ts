import { Webhook } from 'standardwebhooks';

/** What is sent to a webhook, signed with each secret that is valid. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Signs as Standard Webhooks have it: `id` is the same in every attempt, the timestamp is the attempt's. */
export function signedRequest(id: string, body: string, secrets: readonly string[], at = new Date()): SignedRequest {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, at, body));
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': signatures.join(' '),
    },
    body,
  };
}
