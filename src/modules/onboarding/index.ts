/**
 * How an organization begins that brings material along: its shell, the sources, their review. Written with statements,
 * because every move is made on the locked record.
 */
export { OnboardingCompletionService } from './completion/onboarding-completion.service.ts';
export { CompletedOnboardingDto, CompleteOnboardingDto } from './onboarding.dto.ts';
export { OnboardingErrors, OnboardingIssues } from './onboarding.errors.ts';
export { recordIn as onboardingIn } from './onboarding-record.ts';
export { Onboarding } from './onboarding.entity.ts';
export { OnboardingModule } from './onboarding.module.ts';
export { OnboardingSource } from './sources/onboarding-source.entity.ts';
export { OnboardingUpload } from './sources/onboarding-upload.entity.ts';
