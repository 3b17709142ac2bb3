import { isDeepStrictEqual } from 'node:util';
import { EdgeIssues, invalid } from '../../kernel/errors/index.ts';
import { DEPARTMENTS } from '../organizations/index.ts';
import type { CreateAgentProfileDto, UpdateAgentProfileConfigDto } from './agent-profile.dto.ts';
import type { TemplateConfig } from './catalog.ts';
import { ProfileIssues } from './agent-profile.errors.ts';

/** Throws 400 where key, kind and department do not go together. */
export function checkIdentity({ key, kind, department }: CreateAgentProfileDto): void {
  if (kind !== 'department') {
    if (key !== kind) throw invalid('key', ProfileIssues.keyOfKind, `must be "${kind}", the key of that kind`);
    if (department != null) throw invalid('department', EdgeIssues.notOfKind, 'belongs to department profiles only');
    return;
  }
  if (department == null) throw invalid('department', EdgeIssues.required, 'is required for department profiles');
  if (key === 'operator' || key === 'chat')
    throw invalid('key', ProfileIssues.keyOfKind, `is the key of the ${key} profile`);
  // The built-in profile of a department has its key; provisioning relies on it.
  if (key !== department && DEPARTMENTS.some((each) => each === key))
    throw invalid('key', ProfileIssues.keyOfDepartment, `is the key of the ${key} department’s own profile`);
}

/** A configuration with an update merged one level deep; the same object when that changes nothing. */
export function mergeConfig(config: TemplateConfig, update: UpdateAgentProfileConfigDto = {}): TemplateConfig {
  const merged = {
    defaultRunMode: update.defaultRunMode ?? config.defaultRunMode,
    toolPolicyKeys: update.toolPolicyKeys ?? config.toolPolicyKeys,
    runtime: {
      model: update.runtime?.model ?? config.runtime.model,
      reasoningEffort: update.runtime?.reasoningEffort ?? config.runtime.reasoningEffort,
    },
    skillKeys: update.skillKeys ?? config.skillKeys,
    mcpServerKeys: update.mcpServerKeys ?? config.mcpServerKeys,
  };
  return isDeepStrictEqual(merged, config) ? config : merged;
}
