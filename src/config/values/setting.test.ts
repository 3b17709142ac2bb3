import { expect, it } from '@jest/globals';
import { TOKEN, without } from '../../../test/support/configurations.ts';
import { fileWith } from '../../../test/support/folders.ts';
import { readSettings } from '../index.ts';

it('does not echo a secret', () => {
  expect(() => readSettings({ OWNER_BOOTSTRAP_TOKEN: 'hunter2' })).toThrow(without('hunter2'));
  expect(() => readSettings({ CAPABILITY_KEYS: 'hunter2:hunter2' })).toThrow(without('hunter2'));
  expect(() => readSettings({ DATABASE_URL: 'mysql://u:hunter2@db' })).toThrow(without('hunter2'));
});

it('does not echo a password in a URL that should hold none', () => {
  for (const name of ['PUBLIC_BASE_URL', 'CORS_ALLOWED_ORIGINS', 'EGRESS_LOCAL_PEERS', 'OBJECT_STORE_S3_ENDPOINT'])
    expect(() => readSettings({ [name]: 'https://user:hunter2@acme.example/?x' })).toThrow(without('hunter2'));
});

it('reads secrets from files and trims them', () => {
  const settings = readSettings({ OWNER_BOOTSTRAP_TOKEN_FILE: fileWith(`${TOKEN}\n`) });
  expect(settings.OWNER_BOOTSTRAP_TOKEN).toBe(TOKEN);
});

it('refuses a secret given twice, and a file that is not there', () => {
  const file = fileWith(TOKEN);
  expect(() => readSettings({ OWNER_BOOTSTRAP_TOKEN: TOKEN, OWNER_BOOTSTRAP_TOKEN_FILE: file })).toThrow(
    /^OWNER_BOOTSTRAP_TOKEN: /,
  );
  expect(() => readSettings({ OWNER_BOOTSTRAP_TOKEN_FILE: `${file}.not` })).toThrow(
    /^OWNER_BOOTSTRAP_TOKEN_FILE: cannot be read \(ENOENT\)/,
  );
});

it('refuses a file that was never filled in', () => {
  const name = 'OWNER_BOOTSTRAP_TOKEN_FILE';
  for (const empty of ['', ' \n'])
    expect(() => readSettings({ [name]: fileWith(empty) })).toThrow(`${name}: names an empty file`);
});

it('counts empty text as absent', () => {
  expect(readSettings({ PORT: ' ' }).PORT).toBe(3000);
});
