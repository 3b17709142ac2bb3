import { describe, expect, it } from '@jest/globals';
import type { ManifestDto } from './manifest.dto.ts';
import type { RelatedTaskDto } from './manifest-task.dto.ts';
import { withinLimit } from './manifest-size.ts';

function task(id: string, artifacts: number, summary = 'Done.'): RelatedTaskDto {
  const result = {
    kind: 'completed' as const,
    summary,
    artifacts: Array.from({ length: artifacts }, () => ({ kind: 'note', name: 'Note', path: 'a'.repeat(70) })),
  };
  return { taskId: id, identifier: id, title: id, status: 'completed', result, runId: null };
}

const manifestOf = (dependencies: RelatedTaskDto[], children: RelatedTaskDto[] = []) =>
  ({ dependencies, children, context: [] }) as unknown as ManifestDto;
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('the size of a manifest', () => {
  it('leaves one alone that fits', () => {
    const manifest = manifestOf([task('a', 5)]);
    expect(withinLimit(manifest, bytes(manifest))).toBe(manifest);
  });

  it('takes what the organization knows first, from the end', () => {
    const entries = ['a', 'b', 'c'].map((key) => ({ key, text: 'x'.repeat(100) }));
    const manifest = { ...manifestOf([task('a', 5)]), context: entries } as unknown as ManifestDto;
    const shown = ({ context }: ManifestDto) => context.map(({ key }) => key);
    expect(shown(withinLimit(manifest, bytes(manifest) - 1))).toEqual(['a', 'b']);
    const limited = withinLimit(manifest, bytes(manifest) - 400);
    expect(shown(limited)).toEqual([]);
    expect(limited.dependencies![0]!.result).toMatchObject({ truncated: true });
  });

  it('takes the artifacts of the largest results first', () => {
    const manifest = manifestOf([task('a', 1), task('b', 50)], [task('c', 40)]);
    const limited = withinLimit(manifest, bytes(manifest) - 1);
    expect(limited.dependencies![1]!.result).toEqual({
      kind: 'completed',
      summary: 'Done.',
      artifacts: [],
      truncated: true,
    });
    expect([limited.dependencies![0], limited.children![0]]).toEqual([task('a', 1), task('c', 40)]);
  });

  it('takes summaries where that is not enough', () => {
    const manifest = manifestOf([task('a', 0, 'a'.repeat(4_000)), task('b', 0, 'b')]);
    const limited = withinLimit(manifest, 1_000);
    expect(bytes(limited)).toBeLessThanOrEqual(1_000);
    expect(limited.dependencies!.map(({ result }) => result)).toEqual([
      { kind: 'completed', truncated: true },
      { kind: 'completed', summary: 'b', artifacts: [], truncated: true },
    ]);
  });

  const message = (id: string, ...texts: string[]) => ({
    id,
    parts: texts.map((text, index) => ({ id: `p${index}`, kind: 'text', text })),
  });
  const chatOf = (...messages: object[]) => ({ messages, context: [] }) as unknown as ManifestDto;
  const shown = ({ messages }: ManifestDto) => messages!.map(({ id }) => id);

  it('leaves out the oldest messages of a chat', () => {
    const manifest = chatOf(...['a', 'b', 'c', 'd'].map((id) => message(id, 'x'.repeat(100))));
    const limited = withinLimit(manifest, bytes(manifest) - 1);
    expect(shown(limited)).toEqual(['b', 'c', 'd']);
    expect(shown(withinLimit(manifest, bytes(limited) - 1))).toEqual(['c', 'd']);
  });

  it('cuts off the longest texts where question and answer alone are too large, between characters', () => {
    const manifest = chatOf(
      message('a', 'old'),
      message('b', '"\n'.repeat(300), 'é'.repeat(500)),
      message('c', 'short'),
    );
    const limited = withinLimit(manifest, 1_000);
    expect(bytes(limited)).toBeLessThanOrEqual(1_000);
    expect(shown(limited)).toEqual(['b', 'c']);
    const [question, answer] = limited.messages!;
    expect(answer).toEqual(message('c', 'short'));
    expect(question!.parts.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^("\n)*"?…$/),
      expect.stringMatching(/^é*…$/),
    ]);
  });
});
