import { describe, expect, it } from '@jest/globals';
import type { ActionDetailDto } from '../../actions/index.ts';
import { resultOf } from './mcp-results.ts';

const action = (change: Partial<ActionDetailDto>) =>
  ({ id: 'id', reference: 'A-7K3M9Q', result: null, error: null, ...change }) as ActionDetailDto;

describe('a result', () => {
  it('of a read is its output, media in words', () => {
    const content = [
      { type: 'text', text: '2 orders' },
      { type: 'image', mimeType: 'image/png', bytes: 7 },
      { type: 'resource_link', uri: 'https://a.example', name: 'a' },
    ];
    const output = { content, structuredContent: { n: 2 }, isError: false };
    expect(resultOf({ status: 'succeeded', output, truncated: true })).toEqual({
      content: [content[0], { type: 'text', text: '[image, image/png, 7]' }, content[2]],
      structuredContent: { n: 2 },
      isError: false,
      _meta: { truncated: true },
    });
  });

  it('of a provider that does not speak MCP is its JSON', () => {
    expect(resultOf({ status: 'succeeded', output: { rows: [1] }, truncated: false })).toEqual({
      content: [{ type: 'text', text: '{"rows":[1]}' }],
      structuredContent: { rows: [1] },
    });
  });

  it('that failed says its code', () => {
    const error = { code: 'rate_limited', message: 'No.', providerStatus: 429, retryable: true, retryAfterSeconds: 3 };
    expect(resultOf({ status: 'failed', error })).toEqual({
      content: [{ type: 'text', text: 'No.' }],
      isError: true,
      _meta: { code: 'rate_limited', retryAfterSeconds: 3 },
    });
  });

  it('of a write that succeeded is what was stored', () => {
    const result = { content: [{ type: 'text', text: 'done' }], isError: false };
    expect(resultOf({ status: 'action', action: action({ status: 'succeeded', result }), output: result })).toEqual({
      ...result,
      _meta: { actionId: 'id', status: 'succeeded' },
    });
  });

  it.each([
    ['awaiting_approval', 'awaiting_approval', 'action_wait'],
    ['executing', 'executing', 'same call again'],
    ['reconciliation_required', 'ambiguous', 'never sent again'],
    ['rejected', 'rejected', 'is rejected'],
  ] as const)('of a write that is %s says so', (status, code, words) => {
    const result = resultOf({ status: 'action', action: action({ status }) });
    expect(result).toMatchObject({ isError: true, _meta: { actionId: 'id', status, code } });
    expect(JSON.stringify(result.content)).toContain(words);
    expect(JSON.stringify(result.content)).toContain('A-7K3M9Q');
  });
});
