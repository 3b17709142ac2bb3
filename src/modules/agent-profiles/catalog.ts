import { canonicalDigest } from '../../kernel/crypto/index.ts';
import type { Department } from '../organizations/index.ts';
import type { ProfileKind } from './agent-profile.state.ts';

/** The catalog of agent profile templates, as the API shows it. */
export interface Catalog {
  readonly version: number;
  readonly commonSkillKeys: readonly string[];
  readonly commonMcpServerKeys: readonly string[];
  readonly profiles: readonly ProfileTemplate[];
}

export interface ProfileTemplate {
  readonly key: string;
  readonly name: string;
  readonly summary: string;
  readonly kind: ProfileKind;
  readonly department: Department | null;
  readonly skillKeys: readonly string[];
  readonly mcpServerKeys: readonly string[];
  readonly config: Pick<TemplateConfig, 'defaultRunMode' | 'toolPolicyKeys' | 'runtime'>;
}

/** What a template gives a profile. */
export interface TemplateConfig {
  readonly defaultRunMode: string;
  readonly toolPolicyKeys: readonly string[];
  readonly runtime: { readonly model: string; readonly reasoningEffort: string };
  readonly skillKeys: readonly string[];
  readonly mcpServerKeys: readonly string[];
}

/** A catalog together with the instructions that it points to, by template key. */
export interface CatalogEdition {
  readonly catalog: Catalog;
  readonly instructions: Readonly<Record<string, string>>;
}

/** One that was published. */
export interface PublishedCatalog {
  readonly revision: string;
  readonly catalog: Catalog;
}

/** SHA-256 over catalog and instructions: manifests read both by revision, so neither may change under it. */
export function revisionOf({ catalog, instructions }: CatalogEdition): string {
  return canonicalDigest({ catalog, instructions });
}

/**
 * Whether a start publishes an edition: `newer` ones only, because an old replica that restarts during a rollout must
 * not turn the pointer back. A `changed` one has the version of the published one and other content.
 */
export function standingOf(
  edition: CatalogEdition,
  published: PublishedCatalog | undefined,
): 'newer' | 'published' | 'changed' | 'older' {
  const version = published?.catalog.version ?? 0;
  if (!published || version < edition.catalog.version) return 'newer';
  if (version > edition.catalog.version) return 'older';
  return published.revision === revisionOf(edition) ? 'published' : 'changed';
}

export function instructionsUri(revision: string, templateKey: string): string {
  return `service://catalog/${revision}/${templateKey}/instructions`;
}

/** The template of a profile: that of its own key, else its department's. */
export function templateFor(catalog: Catalog, key: string, department: string | null): ProfileTemplate | undefined {
  return catalog.profiles.find((each) => each.key === key) ?? catalog.profiles.find((each) => each.key === department);
}

const EMPTY: TemplateConfig = {
  defaultRunMode: 'execute',
  toolPolicyKeys: [],
  runtime: { model: 'default', reasoningEffort: 'medium' },
  skillKeys: [],
  mcpServerKeys: [],
};

/** What a profile gets from a template; without one, empty lists. */
export function configFrom(catalog: Catalog, template: ProfileTemplate | undefined): TemplateConfig {
  if (!template) return EMPTY;
  return {
    ...template.config,
    skillKeys: [...new Set([...catalog.commonSkillKeys, ...template.skillKeys])],
    mcpServerKeys: [...new Set([...catalog.commonMcpServerKeys, ...template.mcpServerKeys])],
  };
}
