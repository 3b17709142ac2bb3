/**
 * Looks at what agents push, with git itself, in repositories that nobody else sees and within limits that a hostile pack
 * cannot pass. Guarantees: what is found sound is whole, is what the branch needs and nothing else, and leads to where the
 * branch stood; nothing stays behind on the disk of the machine.
 */
export { InstalledGitService } from './installed-git.service.ts';
export { PushVerification, RefusedPush, type VerifiedPush } from './push-verification.ts';
export { addPack, type ChangedPath, changedPaths, NO_FILES, type ShownCommit, shownCommits } from './pushed-changes.ts';
