/**
 * Git's wire protocol, as far as a proxy must understand it: lines, what a host advertises, what a push asks, reports, and
 * the two requests of version 2 that the service sends itself. Pure: bytes in, values out. Refuses what no client or host
 * sends with `BrokenFraming`; never looks for a pack by its first word.
 */
export { AdvertisedRefReader, type HostCapabilities, PushAdvertisement } from './advertisement.ts';
export { lsRefsRequest, packIn, refIn, treesRequest, VERSION_2 } from './fetch-v2.ts';
export { isObjectId, NO_OBJECT } from './object-id.ts';
export { BrokenFraming, FLUSH, pktLine } from './pkt-line.ts';
export {
  type PushReport,
  remarkBytes,
  reportBytes,
  reportForm,
  type ReportForm,
  reportIn,
  type RefVerdict,
} from './push-report.ts';
export { type PushCommands, PushRequestReader, type RefCommand } from './push-request.ts';
export { branchOf, isBranch } from './ref-name.ts';
