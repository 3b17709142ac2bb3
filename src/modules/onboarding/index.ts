/**
 * How an organization begins that brings material along: its shell, the sources, their review. Written with statements,
 * because every move is made on the locked record.
 */
export { Onboarding } from './onboarding.entity.ts';
export { OnboardingModule } from './onboarding.module.ts';
export { OnboardingSource } from './sources/onboarding-source.entity.ts';
export { OnboardingUpload } from './sources/onboarding-upload.entity.ts';
