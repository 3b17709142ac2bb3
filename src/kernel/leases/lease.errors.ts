import { defineIssues } from '../errors/index.ts';

export const LeaseIssues = defineIssues({
  alreadyRunning: { code: 'already_running', message: 'It is running with other values already.' },
});
