const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** Text in a charset that Node can only read: the bytes of each character are sought among all of one and two bytes. */
export function encoded(text: string, label: string): Buffer {
  const table = tables.get(label) ?? tableOf(label);
  tables.set(label, table);
  return Buffer.from(
    [...text].flatMap((character) => {
      const bytes = table.get(character);
      if (!bytes) throw new Error(`${character} is not in ${label}`);
      return bytes;
    }),
  );
}

function tableOf(label: string): ReadonlyMap<string, readonly number[]> {
  const decoder = new TextDecoder(label, { fatal: true });
  const table = new Map<string, readonly number[]>();
  const add = (bytes: readonly number[]) => {
    try {
      const character = decoder.decode(Uint8Array.from(bytes));
      if ([...character].length === 1 && !table.has(character)) table.set(character, bytes);
    } catch {
      // No character has these bytes.
    }
  };
  for (let first = 0; first < 256; first += 1) add([first]);
  for (let first = 0x81; first < 0xff; first += 1)
    for (let second = 0x40; second < 0xff; second += 1) add([first, second]);
  return table;
}
