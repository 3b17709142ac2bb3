import { expect, it } from '@jest/globals';
import { shareResponses } from './shared-responses.ts';

const named = (description: string, ...names: string[]) => ({ description, 'x-names': names });
const refer = (name: string) => ({ $ref: `#/components/responses/${name}` });

it('shares what is answered alike, the most frequent under the best name', () => {
  const operation = (conflict: string) => ({
    responses: {
      200: { description: 'OK' },
      404: named('None', 'NotFound'),
      409: named(conflict, 'Conflict', ...(conflict === 'rare' ? ['ConflictWithGap'] : [])),
    } as Record<string, object>,
  });
  const paths = {
    '/a': { get: operation('rare'), put: operation('often'), post: operation('nameless') },
    '/b': { get: operation('rare'), put: operation('often'), post: operation('often'), patch: operation('once') },
    '/c': { post: operation('nameless') },
  };
  expect(shareResponses(paths)).toEqual({
    Conflict: { description: 'often' },
    ConflictWithGap: { description: 'rare' },
    NotFound: { description: 'None' },
  });
  expect(paths['/a'].put.responses).toEqual({
    200: { description: 'OK' },
    404: refer('NotFound'),
    409: refer('Conflict'),
  });
  expect(paths['/b'].get.responses['409']).toEqual(refer('ConflictWithGap'));
  expect(paths['/b'].patch.responses['409']).toEqual({ description: 'once' });
  expect(paths['/c'].post.responses['409']).toEqual({ description: 'nameless' });
});
