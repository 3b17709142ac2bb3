import { Migration } from '@mikro-orm/migrations';

/**
 * Searches answer a page at most. Without this the planner expects a thousand rows, and reads all records of a small
 * organization to join them.
 */
export class Migration20261129212500KnowledgePages extends Migration {
  override name = 'Migration20261129212500KnowledgePages';

  override up(): void {
    this.addSql(`alter function search_knowledge rows 50;`);
    this.addSql(`alter function similar_knowledge rows 50;`);
  }
}
