import { isDeepStrictEqual } from 'node:util';
import type { AgentProfile } from './agent-profile.entity.ts';
import { configFrom, instructionsUri, type ProfileTemplate, type PublishedCatalog } from './catalog.ts';

/**
 * Moves a profile to a template of a published catalog. What is still as the catalog made it follows: its instructions
 * and its configuration; what an owner changed stays. `before` is the catalog that the profile comes from.
 */
export function pin(
  profile: AgentProfile,
  template: ProfileTemplate,
  { revision, catalog }: PublishedCatalog,
  before: PublishedCatalog | undefined,
): void {
  const { catalogRevision, catalogTemplateKey } = profile;
  if (profile.instructionsUri === instructionsUri(catalogRevision, catalogTemplateKey))
    profile.instructionsUri = instructionsUri(revision, template.key);
  const templateBefore = before?.catalog.profiles.find(({ key }) => key === catalogTemplateKey);
  if (before && isDeepStrictEqual(profile.config, configFrom(before.catalog, templateBefore)))
    profile.config = configFrom(catalog, template);
  profile.catalogRevision = revision;
  profile.catalogTemplateKey = template.key;
}
