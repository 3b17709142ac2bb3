/**
 * Pushes: received, verified, and staged as actions. A row says that the bytes of an action's push are kept, under the key
 * of that action.
 */
export { GitPush } from './git-push.entity.ts';
export { GitPushUpload } from './git-push-upload.entity.ts';
export { packKey, type PushArguments } from './git-pushes.queries.ts';
