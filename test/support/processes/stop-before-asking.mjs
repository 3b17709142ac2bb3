/**
 * Preloaded like `reach-peers.mjs`: the process stops itself when it is about to ask a token endpoint for the first time, for
 * the test to continue it. What it claimed by then counts as its own for CLAIM_MS.
 */
import './reach-peers.mjs';
import { Egress } from '../../../dist/src/kernel/egress/index.js';
import { OAUTH } from '../../../dist/src/modules/oauth/oauth.policy.js';

if (process.env.CLAIM_MS) OAUTH.claimMs = Number(process.env.CLAIM_MS);
const { send } = Egress.prototype;
let hasStopped = false;
Egress.prototype.send = function stopping(request) {
  if (new URL(request.url).pathname === '/token' && !hasStopped) {
    hasStopped = true;
    process.kill(process.pid, 'SIGSTOP');
  }
  return send.call(this, request);
};
