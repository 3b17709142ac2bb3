import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { policies } from '../../../kernel/tenancy/index.ts';

/** Units of a currency for one euro on a day, as the European Central Bank published them; a changed one is a revision. */
const schema = defineEntity({
  name: 'FxRate',
  tableName: 'fx_rate',
  properties: {
    /** An ISO date. */
    day: p.text().collation('C').primary(),
    currency: p.text().collation('C').primary(),
    revision: p.integer().primary(),
    rate: p.decimal('string').columnType('numeric'),
    fetchedAt: timestamp(),
  },
  policies: policies({ appReads: 'true', dispatch: true }),
  rowLevelSecurity: 'force',
});

export class FxRate extends schema.class {}
schema.setClass(FxRate);
