/**
 * A merchant of record, whose key reaches every store of its account. Guarantees: each call names a selected store and is
 * proven to stay in it, by the row's own key or through its parents, before anything of it is handed on; what lies in
 * another store and what does not exist look the same; two tools write, through actions only, each one request. Refuses:
 * included rows, links of the provider, signed addresses in outputs.
 */
export { PaymentsProvider } from './payments-provider.adapter.ts';
export { StoresController } from './stores.controller.ts';
