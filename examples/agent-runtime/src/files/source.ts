import { posix } from 'node:path';

export interface Comment {
  readonly line: number;
  readonly text: string;
}

/**
 * Splits TypeScript into code and comments. In `code`, comments are blanked and line breaks kept, so that positions
 * stay the same; strings, templates and regular expressions are skipped, so that `"// not a comment"` does not count.
 */
export function splitComments(source: string): { readonly code: string; readonly comments: Comment[] } {
  const comments: Comment[] = [];
  // One entry per template literal whose `${` is open: the number of open braces inside it.
  const braces: number[] = [];
  let code = '';
  let line = 1;
  let at = 0;
  const take = (length: number, keep: boolean): string => {
    const text = source.slice(at, at + length);
    code += keep ? text : text.replace(/[^\n]/g, ' ');
    line += text.split('\n').length - 1;
    at += length;
    return text;
  };
  const lengthOf = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0].length ?? 1;
  };
  const template = (): void => {
    take(lengthOf(/(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{|$)/y), true);
    if (code.endsWith('${')) braces.push(0);
  };
  while (at < source.length) {
    const two = source.slice(at, at + 2);
    const char = source[at]!;
    if (two === '//' || two === '/*') {
      const startLine = line;
      comments.push({
        line: startLine,
        text: take(lengthOf(two === '//' ? /[^\n]*/y : /\/\*[^]*?(?:\*\/|$)/y), false),
      });
    } else if (char === '"' || char === "'") take(lengthOf(/(["'])(?:(?!\1)[^\\\n]|\\[^])*\1?/y), true);
    else if (char === '`') {
      take(1, true);
      template();
    } else if (char === '/' && startsRegExp(code))
      take(lengthOf(/\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y), true);
    else if (char === '}' && braces.at(-1) === 0) {
      braces.pop();
      take(1, true);
      template();
    } else {
      const open = braces.length - 1;
      if (open >= 0 && (char === '{' || char === '}')) braces[open]! += char === '{' ? 1 : -1;
      take(1, true);
    }
  }
  return { code, comments };
}

/** Whether a slash begins a regular expression, which it does if no value comes before it. */
function startsRegExp(before: string): boolean {
  const tail = before.slice(-40).trimEnd();
  return tail === '' || /[(,=:[!&|?{};+\-*%<>~^]$/.test(tail) || /\b(?:return|typeof|case|in|of|await)$/.test(tail);
}

export interface Import {
  readonly specifier: string;
  /** Whether the compiler erases it, so that it is no edge at run time. */
  readonly typeOnly: boolean;
}

/** Static imports and re-exports of code without comments. */
export function importsOf(code: string): Import[] {
  const pattern =
    /(?:^|[;\n])[ \t]*(?:(?:import|export)\b([^;'"`()=]*?)\bfrom\s*(['"])([^'"\n]+)\2|import\s*(['"])([^'"\n]+)\4)/g;
  return [...code.matchAll(pattern)].map(([, clause = '', , from, , bare]) => ({
    specifier: (from ?? bare)!,
    typeOnly: /^\s+type\s+[\w*{]/.test(clause),
  }));
}

/** The existing file that a relative specifier names. */
export function resolveImport(from: string, specifier: string, files: ReadonlySet<string>): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(from), specifier);
  return [path, `${path}.ts`, path.replace(/\.js$/, '.ts'), `${path}/index.ts`].find((each) => files.has(each));
}
