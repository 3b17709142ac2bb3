import { defineEntity, p } from '@mikro-orm/core';
import { policies } from '../tenancy/index.ts';

/**
 * What each key of the deployment encrypts a known text to, by which a start tells that a key is the one that was used
 * before. Belongs to no organization, because the keys are the deployment's.
 */
const schema = defineEntity({
  name: 'EncryptionKeyCheck',
  tableName: 'encryption_key_check',
  properties: {
    keyId: p.text().primary(),
    wrappedKey: p.blob().columnType('bytea'),
    sealed: p.blob().columnType('bytea'),
  },
  policies: policies({}),
  rowLevelSecurity: 'force',
});

export class EncryptionKeyCheck extends schema.class {}
schema.setClass(EncryptionKeyCheck);
