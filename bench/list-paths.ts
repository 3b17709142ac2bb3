import { LIST_NAMES, type ListName } from './baselines/bare-reads.ts';

/** Where the same list is on both sides. */
type Paths = Readonly<Record<'service' | 'bare', string>>;
export type ListPaths = Readonly<Record<ListName, Paths>>;

/** The lists of an organization, and of one of its chats. */
export function listPaths(organization: string, chat: string): ListPaths {
  const of = (name: ListName): Paths =>
    name === 'messages'
      ? {
          service: `/organizations/${organization}/chats/${chat}/messages`,
          bare: `/messages?organization=${organization}&chat=${chat}`,
        }
      : { service: `/organizations/${organization}/${name}`, bare: `/${name}?organization=${organization}` };
  return Object.fromEntries(LIST_NAMES.map((name) => [name, of(name)])) as ListPaths;
}
