/** Creation of organizations: the one place that leans on every module that a new organization needs. */
export { ProvisioningModule } from './provisioning.module.ts';
