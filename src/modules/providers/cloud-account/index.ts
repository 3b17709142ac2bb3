/**
 * An account of a cloud, whose role trusts the deployment. Guarantees: the deployment's own identity is used for nothing but
 * assuming roles, with an external id that begins with the organization's own id, so that nobody connects what another
 * organization set up; a role that can be assumed without its external id, or lies in the deployment's own account, is refused;
 * requests leave by the egress client, one each. Refuses: endpoints of owners, other partitions, root users, and identities
 * that the SDK would find on the machine by itself.
 */
export { CloudAccount } from './cloud-account.adapter.ts';
