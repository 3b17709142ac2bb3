import { Migration } from '@mikro-orm/migrations';

/** Plans searches once a connection: planning eight terms anew for each took longer than finding a rare word. */
export class Migration20261129213900KnowledgePlans extends Migration {
  override name = 'Migration20261129213900KnowledgePlans';

  override up(): void {
    this.addSql(`alter function search_knowledge set plan_cache_mode = force_generic_plan;`);
  }
}
