/** The only way of agents' git to the code host: fetches stream through, pushes are verified, staged and become actions. */
export { GitPush, GitPushUpload } from './push/index.ts';
export { GitProxyModule } from './git-proxy.module.ts';
