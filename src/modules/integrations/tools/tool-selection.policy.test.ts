import { describe, expect, it } from '@jest/globals';
import type { Selection } from '../integration.state.ts';
import type { ListedTool } from '../provider-adapters.port.ts';
import { compareTools } from './tool-comparison.ts';
import { applyInventory, choose, type Choosing, type ToolChoice } from './tool-selection.policy.ts';

function tool(name: string, access: 'read' | 'write', hash = `${name}-1`, description = 'text'): ListedTool {
  const inputSchema = { type: 'object' };
  const meaning = { access, risk: 'external', reviewRequired: access === 'write' } as const;
  return { name, title: null, description, inputSchema, ...meaning, definitionHash: hash };
}

const READ = tool('read', 'read');
const OTHER = tool('other', 'read');
const WRITE = tool('write', 'write');
const LISTED = [READ, OTHER, WRITE];

const pin = (hash: string, quarantined = false) => ({ definitionHash: hash, quarantined });
const chosen = (tools: Selection['tools'], explicit = false): Selection => ({ explicit, tools });
const NARROWED = chosen({ read: pin('read-1') });
const SUSPECT = { other: { ...pin('other-0', true), changed: ['description'] } };

const FIRST: ToolChoice = { accessMode: 'ask_before_write', selection: null };
const before = (selection: Selection, accessMode: ToolChoice['accessMode'] = 'ask_before_write'): ToolChoice => ({
  accessMode,
  selection,
});

/** The table of modes and tools, row by row: what was chosen, what happens, and the mode and names behind it. */
describe('modes and tools', () => {
  const rows: readonly (readonly [
    string,
    ToolChoice,
    Choosing,
    ToolChoice['accessMode'],
    readonly string[],
    boolean?,
  ])[] = [
    ['a first connection takes all', FIRST, { by: 'connection' }, 'ask_before_write', ['other', 'read', 'write']],
    [
      'whatever mode stood in the row',
      { ...FIRST, accessMode: 'autonomous' },
      { by: 'connection' },
      'ask_before_write',
      ['other', 'read', 'write'],
    ],
    [
      'a first connection in the mode that it asks for',
      FIRST,
      { by: 'connection', accessMode: 'read_only' },
      'read_only',
      ['other', 'read'],
    ],
    [
      'a first connection with a list',
      FIRST,
      { by: 'connection', tools: ['write', 'nothing'] },
      'ask_before_write',
      ['write'],
      true,
    ],
    [
      'a first connection with a list beyond its mode',
      FIRST,
      { by: 'connection', accessMode: 'read_only', tools: ['read', 'write'] },
      'read_only',
      ['read'],
      true,
    ],
    ['a reconnect keeps the names', before(NARROWED), { by: 'connection' }, 'ask_before_write', ['read']],
    [
      'a reconnect in the same mode keeps the names',
      before(NARROWED, 'autonomous'),
      { by: 'connection', accessMode: 'autonomous' },
      'autonomous',
      ['read'],
    ],
    [
      'a reconnect where nothing was eligible takes all',
      before(chosen({})),
      { by: 'connection' },
      'ask_before_write',
      ['other', 'read', 'write'],
    ],
    [
      'a reconnect where nothing was named stays empty',
      before(chosen({}, true)),
      { by: 'connection' },
      'ask_before_write',
      [],
      true,
    ],
    [
      'a start with another mode takes all of it',
      before(NARROWED),
      { by: 'connection', accessMode: 'read_only' },
      'read_only',
      ['other', 'read'],
    ],
    [
      'a start with another mode and a list takes the list',
      before(NARROWED),
      { by: 'connection', accessMode: 'read_only', tools: ['other'] },
      'read_only',
      ['other'],
      true,
    ],
    [
      'an owner who sets the same mode takes all',
      before(NARROWED),
      { by: 'owner', accessMode: 'ask_before_write' },
      'ask_before_write',
      ['other', 'read', 'write'],
    ],
    [
      'an owner who sets another mode takes all of it',
      before(chosen({}, true)),
      { by: 'owner', accessMode: 'read_only' },
      'read_only',
      ['other', 'read'],
    ],
    [
      'an owner with a list gets exactly it',
      before(NARROWED),
      { by: 'owner', accessMode: 'autonomous', tools: ['write', 'other'] },
      'autonomous',
      ['other', 'write'],
      true,
    ],
    [
      'an owner may name nothing',
      before(NARROWED),
      { by: 'owner', accessMode: 'autonomous', tools: [] },
      'autonomous',
      [],
      true,
    ],
  ];

  it.each(rows)('%s', (_, was, choosing, accessMode, names, explicit = false) => {
    const { selection, accessMode: mode } = choose(was, choosing, LISTED, false);
    expect(mode).toBe(accessMode);
    expect(Object.keys(selection!.tools).toSorted()).toEqual(names);
    expect(selection!.explicit).toBe(explicit);
    for (const [name, { definitionHash }] of Object.entries(selection!.tools)) expect(definitionHash).toBe(`${name}-1`);
  });

  it('keeps an entry that only reads at reading', () => {
    expect(choose(FIRST, { by: 'connection', accessMode: 'autonomous' }, LISTED, true)).toEqual({
      accessMode: 'read_only',
      selection: chosen({ read: pin('read-1'), other: pin('other-1') }),
    });
  });

  it('keeps out what is in quarantine, whichever mode comes, until it is named', () => {
    const was = before(chosen({ ...SUSPECT, write: { ...pin('write-0', true), changed: [] } }));
    const readOnly = choose(was, { by: 'owner', accessMode: 'read_only' }, LISTED, false);
    expect(readOnly.selection!.tools).toMatchObject({
      read: pin('read-1'),
      other: pin('other-0', true),
      write: pin('write-0', true),
    });
    const wide = choose(readOnly, { by: 'owner', accessMode: 'autonomous' }, LISTED, false);
    expect(wide.selection).toEqual(readOnly.selection);
    const named = choose(wide, { by: 'owner', accessMode: 'autonomous', tools: ['other', 'write'] }, LISTED, false);
    expect(named.selection).toEqual(chosen({ other: pin('other-1'), write: pin('write-1') }, true));
  });
});

describe('an inventory', () => {
  const selection = chosen({ read: pin('read-1'), other: pin('other-1'), write: pin('write-1') });

  it('puts into quarantine what is defined otherwise, and says in what', () => {
    const now = [READ, { ...tool('other', 'read', 'other-2', 'text!'), outputSchema: {} }, tool('new', 'read')];
    const applied = applyInventory(selection, now, LISTED);
    expect(applied.quarantined).toEqual(['other']);
    expect(applied.selection).toEqual(
      chosen({
        read: pin('read-1'),
        other: { ...pin('other-1', true), changed: ['description', 'outputSchema'] },
        write: { ...pin('write-1'), gone: { title: null, access: 'write', risk: 'external' } },
      }),
    );
  });

  it('keeps it there when the old definition returns, and tells of it once', () => {
    const first = applyInventory(selection, [tool('other', 'read', 'other-2', 'text!')], LISTED);
    const again = applyInventory(first.selection, [tool('other', 'write', 'other-3', 'text?')], []);
    expect(again.quarantined).toEqual([]);
    const back = applyInventory(again.selection, LISTED, []);
    expect(back.quarantined).toEqual([]);
    expect(back.selection!.tools.other).toEqual({ ...pin('other-1', true), changed: ['description'] });
  });

  it('keeps the place of what is gone, and selects nothing', () => {
    const gone = { title: null, risk: 'external' } as const;
    const without = applyInventory(selection, [READ], LISTED);
    expect(without).toEqual({
      selection: chosen({
        ...selection.tools,
        other: { ...selection.tools.other!, gone: { ...gone, access: 'read' } },
        write: { ...selection.tools.write!, gone: { ...gone, access: 'write' } },
      }),
      quarantined: [],
    });
    expect(applyInventory(without.selection, [READ], [READ]).selection).toEqual(without.selection);
    expect(applyInventory(without.selection, LISTED, [READ]).selection).toEqual(selection);
    expect(applyInventory(null, LISTED, [])).toEqual({ selection: null, quarantined: [] });
  });

  it.each(['constructor', '__proto__'])('keeps a tool that is called %s', (name) => {
    const odd = tool(name, 'read');
    expect(compareTools([odd], [], chosen({}))).toMatchObject([{ status: 'new', selected: false }]);
    const { selection: named } = choose(FIRST, { by: 'owner', accessMode: 'read_only', tools: [name] }, [odd], true);
    const applied = applyInventory(named, [tool(name, 'read', 'other')], [odd]);
    expect(applied.quarantined).toEqual([name]);
    const other = compareTools([odd], [odd], applied.selection);
    expect(other).toMatchObject([{ status: 'same', selected: true, quarantined: true }]);
  });
});

describe('a comparison', () => {
  it('tells what is the same, new, changed and missing', () => {
    const now = [READ, tool('other', 'write', 'other-2', 'text!'), tool('new', 'read')];
    const was = [...LISTED, tool('gone', 'read')];
    const chosenBefore = chosen({ read: pin('read-1'), other: pin('other-1'), write: pin('write-1') });
    const { selection } = applyInventory(chosenBefore, now, was);
    const told = (compared: ReturnType<typeof compareTools>) =>
      compared.map(({ name, status, selected, quarantined, changed }) => [
        name,
        status,
        selected,
        quarantined,
        changed,
      ]);
    const first = told(compareTools(now, was, selection));
    expect(first).toEqual([
      ['gone', 'missing', false, false, []],
      ['new', 'new', false, false, []],
      ['other', 'changed', true, true, ['description']],
      ['read', 'same', true, false, []],
      ['write', 'missing', true, false, []],
    ]);
    // Behind another listing too, as long as nobody has looked at it.
    expect(told(compareTools(now, now, selection))).toContainEqual(['other', 'changed', true, true, ['description']]);
    expect(told(compareTools(LISTED, now, selection))).toContainEqual(['other', 'same', true, true, []]);
  });

  it('compares what is not selected with the listing before', () => {
    const compared = compareTools([tool('read', 'read', 'read-2', 'text!')], [READ], chosen({}));
    expect(compared).toMatchObject([{ status: 'changed', selected: false, changed: ['description'] }]);
  });
});
