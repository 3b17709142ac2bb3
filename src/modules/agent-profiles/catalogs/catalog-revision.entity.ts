import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { policies } from '../../../kernel/tenancy/index.ts';
import type { Catalog } from '../catalog.ts';

/** A published catalog. Immutable and global: profiles of every organization are pinned to one; the current one has the highest version. */
const schema = defineEntity({
  name: 'CatalogRevision',
  tableName: 'catalog_revision',
  properties: {
    revision: p.text().primary(),
    version: p.integer().unique(),
    catalog: p.json<Catalog>(),
    /** Instructions by profile key. */
    instructions: p.json<Record<string, string>>(),
    publishedAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: policies({ appReads: 'true', dispatch: true }),
  rowLevelSecurity: 'force',
});

export class CatalogRevision extends schema.class {}
schema.setClass(CatalogRevision);
