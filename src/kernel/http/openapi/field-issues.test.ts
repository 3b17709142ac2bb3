import { describe, expect, it } from '@jest/globals';
import { type IssueRow, issueCodeOf } from '../../errors/index.ts';
import { fieldIssues, withoutMarks } from './field-issues.ts';

const row = (code: string): IssueRow => ({ code: issueCodeOf(code), message: `is ${code}` });
const [ref, path, cycle] = [row('ref'), row('path'), row('cycle')];
const schemas = {
  Task: { properties: { path: { type: 'string', 'x-issues': [path] }, parent: { $ref: '#/components/schemas/Task' } } },
  Other: { properties: { cycle: { 'x-issues': [cycle] } } },
};

describe('the issues of fields', () => {
  it('are those of parameters and of all that the body holds, each once', () => {
    const operation = {
      parameters: [{ name: 'taskRef', schema: { type: 'string', 'x-issues': [ref] } }],
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Task' } } } },
    };
    expect(fieldIssues(operation, schemas)).toEqual([ref, path]);
    expect(fieldIssues({}, schemas)).toEqual([]);
  });

  it('leave no mark', () => {
    expect(withoutMarks([{ type: 'string', 'x-issues': [ref] }, null, 'x-issues'])).toEqual([
      { type: 'string' },
      null,
      'x-issues',
    ]);
  });
});
