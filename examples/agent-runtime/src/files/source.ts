import { posix } from 'node:path';

export interface Comment {
  readonly line: number;
  readonly text: string;
}

/**
 * Parts TypeScript into code and comments. In `code` comments are blanked and line breaks kept, so that positions stay;
 * strings, templates and regular expressions are passed over, so that `"// not a comment"` is none.
 */
export function splitComments(source: string): { readonly code: string; readonly comments: Comment[] } {
  const comments: Comment[] = [];
  // One level a template literal whose `${` is open: how many braces are open inside it.
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

/** A slash begins a regular expression where no value stands before it. */
function startsRegExp(before: string): boolean {
  const tail = before.slice(-40).trimEnd();
  return tail === '' || /[(,=:[!&|?{};+\-*%<>~^]$/.test(tail) || /\b(?:return|typeof|case|in|of|await)$/.test(tail);
}

export interface Import {
  readonly specifier: string;
  /** Erased by the compiler, so no edge at run time. */
  readonly typeOnly: boolean;
}

/** Static imports and re-exports of code whose comments are gone. */
export function importsOf(code: string): Import[] {
  const pattern =
    /(?:^|[;\n])[ \t]*(?:(?:import|export)\b([^;'"`()=]*?)\bfrom\s*(['"])([^'"\n]+)\2|import\s*(['"])([^'"\n]+)\4)/g;
  return [...code.matchAll(pattern)].map(([, clause = '', , from, , bare]) => ({
    specifier: (from ?? bare)!,
    typeOnly: /^\s+type\s+[\w*{]/.test(clause),
  }));
}

/** The file that a relative specifier names, of those that exist. */
export function resolveImport(from: string, specifier: string, files: ReadonlySet<string>): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(from), specifier);
  return [path, `${path}.ts`, path.replace(/\.js$/, '.ts'), `${path}/index.ts`].find((each) => files.has(each));
}
