/**
 * What a new organization finds out about itself: research of the operator first, then of each department. Written in
 * statements; entities only describe the tables.
 */
export { Discovery } from './discovery.entity.ts';
export { DiscoveryIntention } from './discovery-intention.entity.ts';
export { DiscoveryIntentionsService } from './discovery-intentions.service.ts';
export { DiscoveryModule } from './discovery.module.ts';
