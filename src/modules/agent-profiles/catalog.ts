/** The catalog of agent profile templates, as the spec shows it. */
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
  readonly kind: string;
  readonly department: string | null;
  readonly skillKeys: readonly string[];
  readonly mcpServerKeys: readonly string[];
  readonly config: { readonly defaultRunMode: string; readonly toolPolicyKeys: readonly string[]; readonly runtime: { readonly model: string; readonly reasoningEffort: string } };
}
export interface TemplateConfig {
  readonly defaultRunMode: string;
  readonly toolPolicyKeys: readonly string[];
  readonly runtime: { readonly model: string; readonly reasoningEffort: string };
  readonly skillKeys: readonly string[];
  readonly mcpServerKeys: readonly string[];
}
