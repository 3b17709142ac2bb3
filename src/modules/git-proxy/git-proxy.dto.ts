import { OneOf, Text, Uuid } from '../../kernel/validation/index.ts';
import { GIT_SERVICES, type GitService } from './git-proxy.policy.ts';

export class RepositoryParams {
  @Uuid()
  integrationId!: string;
  @Text({ max: 39, example: 'acme', description: 'The account at the code host that has the repository' })
  owner!: string;
  @Text({ max: 104, example: 'shop.git', description: 'The name of the repository, with or without `.git`' })
  repository!: string;
}

export class DiscoveryQuery {
  @OneOf(GIT_SERVICES, { example: 'git-upload-pack', description: 'The one parameter: for fetches, or for pushes' })
  service!: GitService;
}
