/**
 * Looks at what agents push, with git itself, in repositories that nobody else sees and within limits that a hostile pack
 * cannot pass. Guarantees: what is found sound is whole, is what the branch needs and nothing else (an object may be there
 * twice), and leads to where the branch stood; nothing stays behind on the disk of the machine, of a process that is killed
 * for two hours at most while the service runs there.
 */
export { InstalledGitService } from './installed-git.service.ts';
export { LeftRepositoriesService } from './left-repositories.service.ts';
export { PushVerification, RefusedPush, type VerifiedPush } from './push-verification.ts';
export { addPack, type ChangedPath, changedPaths, NO_FILES, type ShownCommit, shownCommits } from './pushed-changes.ts';
