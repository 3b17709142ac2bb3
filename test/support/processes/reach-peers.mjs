/** Preloaded into a service on a database of its own: it reaches the peers of a test, which only a trial may name. */
import { readFileSync } from 'node:fs';
import { ApprovedOrigins } from '../../../dist/src/config/index.js';
import { Egress } from '../../../dist/src/kernel/egress/index.js';

const { PEERS, PEERS_CA } = process.env;
const { send } = Egress.prototype;
Egress.prototype.send = function reaching(request) {
  Object.assign(this.config, { localPeers: PEERS.split(','), localCa: readFileSync(PEERS_CA, 'utf8') });
  return send.call(this, request);
};
Egress.prototype.judge = () => undefined;
ApprovedOrigins.prototype.has = () => true;
