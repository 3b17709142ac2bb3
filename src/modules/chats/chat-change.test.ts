import { describe, expect, it } from '@jest/globals';
import { changeOf, verbOf } from './chat-change.ts';
import type { ChatDto, UpdateChatDto } from './chat.dto.ts';

const ONE = '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11';
const TWO = '0199c9a4-5b1e-7c3b-8e07-5d2f4b6a9c10';
const CHAT = { title: 'Launch', status: 'open', settings: { pinnedTaskIds: [ONE, TWO] } } as unknown as ChatDto;

describe('the change that a patch makes', () => {
  it.each<[string, UpdateChatDto, object, string]>([
    ['nothing', {}, {}, 'chat.updated'],
    ['what is so already', { title: 'Launch', status: 'open', settings: {} }, {}, 'chat.updated'],
    ['a title', { title: 'Later', status: 'open' }, { title: 'Later' }, 'chat.updated'],
    ['an archive', { title: 'Launch', status: 'archived' }, { status: 'archived' }, 'chat.archived'],
    ['the same tasks in other letters', { settings: { pinnedTaskIds: [ONE.toUpperCase(), TWO] } }, {}, 'chat.updated'],
    ['another order', { settings: { pinnedTaskIds: [TWO, ONE] } }, { pinnedTaskIds: [TWO, ONE] }, 'chat.updated'],
    ['one twice', { settings: { pinnedTaskIds: [ONE, ONE.toUpperCase()] } }, { pinnedTaskIds: [ONE] }, 'chat.updated'],
    ['none', { settings: { pinnedTaskIds: [] } }, { pinnedTaskIds: [] }, 'chat.updated'],
  ])('%s', (_what, body, change, verb) => {
    expect(changeOf(CHAT, body)).toEqual(change);
    expect(verbOf(changeOf(CHAT, body))).toBe(verb);
  });

  it('restores an archived chat', () => {
    const change = changeOf({ ...CHAT, status: 'archived' }, { status: 'open' });
    expect([change, verbOf(change)]).toEqual([{ status: 'open' }, 'chat.restored']);
  });
});
