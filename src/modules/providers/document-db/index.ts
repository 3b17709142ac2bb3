/**
 * Document databases (MongoDB). Guarantees: collections, fields, operators and literals are held against the settings before
 * anything is sent; nothing runs that the server does not explain to be served by an index, and it runs by that index; what
 * comes back is cut to the allowed fields again; 64-bit integers stay exact; the driver reaches only servers whose addresses
 * were judged. Refuses: whatever writes, scans, computes or joins; servers that a server names.
 */
export { DocumentDatabases } from './document-databases.adapter.ts';
export { DocumentDbController } from './document-db.controller.ts';
