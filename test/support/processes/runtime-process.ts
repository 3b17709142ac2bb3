import { SERVICE_TOKEN } from '../test-app.ts';
import { ProgramProcess } from './program-process.ts';

/** The reference runtime as a process of its own. */
export class RuntimeProcess extends ProgramProcess {
  constructor(baseUrl: string, workspaceDir: string, paceMs = 0, token = SERVICE_TOKEN) {
    super(process.execPath, ['examples/agent-runtime/src/main.ts'], {
      BUSINESS_RUNNER_URL: baseUrl,
      AGENT_SERVICE_TOKEN: token,
      WORKER_ID: 'reference',
      WORKSPACE_DIR: workspaceDir,
      PACE_MS: String(paceMs),
    });
  }
}
