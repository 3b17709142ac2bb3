import { OAUTH } from '../oauth.policy.ts';

/** What a browser brings to a callback. */
export type CallbackQuery =
  | { readonly protocol: 'oauth2'; readonly state: string; readonly parameters: URLSearchParams }
  | {
      readonly protocol: 'oauth1';
      readonly token: string;
      readonly state: string;
      /** Null where the person declined. */
      readonly verifier: string | null;
    };

/** Reads a query; undefined for one that no server sends: too long, a parameter twice, or without what names an authorization. */
export function callbackQuery(search: string): CallbackQuery | undefined {
  if (search.length > OAUTH.maxQueryBytes) return undefined;
  const parameters = new URLSearchParams(search);
  const names = [...parameters.keys()];
  if (new Set(names).size !== names.length) return undefined;
  const state = parameters.get('state') ?? '';
  if (state === '') return undefined;
  const denied = parameters.get('denied');
  const token = parameters.get('oauth_token') ?? denied ?? '';
  if (token === '') return { protocol: 'oauth2', state, parameters };
  const verifier = parameters.get('oauth_verifier') ?? '';
  if (denied === null && verifier === '') return undefined;
  return { protocol: 'oauth1', token, state, verifier: denied === null ? verifier : null };
}
