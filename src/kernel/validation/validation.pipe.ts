import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { ApiError, EdgeErrors, EdgeIssues, invalid, type Issue, issueAt, issueCodeOf } from '../errors/index.ts';
import { isAccepted } from './acceptance.ts';
import { instanceOf } from './conversion.ts';
import { BODY_SOURCE, failedCheck, FIELD_CHECK, TEXT_SOURCE } from './field.ts';

const BUILT_IN = new Set<unknown>([String, Number, Boolean, Array, Object]);
/** More issues would not help the caller, and would make an answer as large as an attacker's request. */
const MAX_ISSUES = 100;

/** Turns body, query and path into instances of their classes, or answers 400 with one issue per finding. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (!metatype || BUILT_IN.has(metatype) || type === 'custom') return value;
    // An absent body counts as an empty object; a body `null` does not.
    return validated(metatype, value === undefined ? {} : value, type === 'body' ? BODY_SOURCE : TEXT_SOURCE, '');
  }
}

/**
 * Validates a part of a body whose class depends on another part of it; returns an instance of that class, or throws
 * 400 with paths below `at`.
 */
export function validatedPart<T extends object>(shape: Type<T>, value: unknown, at: string): T {
  return validated(shape, value, BODY_SOURCE, at);
}

function validated<T extends object>(shape: Type<T>, value: unknown, source: object, at: string): T {
  const parent = at && `${at}.`;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(at, EdgeIssues.wrongType, 'must be an object');
  const inherited = inheritedKey(value);
  if (inherited !== undefined) throw invalid(parent + inherited, EdgeIssues.unknownProperty);
  const instance = instanceOf(shape, value, source);
  if (isAccepted(instance)) return instance;
  const errors = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true });
  if (errors.length === 0) return instance;
  throw new ApiError(EdgeErrors.validationFailed, {
    issues: errors.flatMap((error) => issuesOf(error, parent)).slice(0, MAX_ISSUES),
  });
}

/**
 * The path of a key that every object inherits; set on an instance, it would change what the instance is (`__proto__`)
 * or does (`toString`). Builds paths only after a find, because a body may hold 100,000 objects.
 */
function inheritedKey(value: object): string | undefined {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const found = inheritedKeyIn(value[index]);
      if (found !== undefined) return `${index}.${found}`;
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (key in Object.prototype) return key;
    const found = inheritedKeyIn((value as Record<string, unknown>)[key]);
    if (found !== undefined) return `${key}.${found}`;
  }
  return undefined;
}

function inheritedKeyIn(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? inheritedKey(value) : undefined;
}

function issuesOf(error: ValidationError, parent: string): Issue[] {
  const path = parent + error.property;
  const own = Object.entries(error.constraints ?? {}).map(([name, message]): Issue => {
    if (name === 'whitelistValidation') return issueAt(path, EdgeIssues.unknownProperty);
    if (error.value === undefined) return issueAt(path, EdgeIssues.required);
    if (name === FIELD_CHECK) return failedCheck(path, message);
    if (name === 'nestedValidation') return issueAt(path, EdgeIssues.wrongType, 'must be an object');
    return { path, code: issueCodeOf(name), message };
  });
  // A missing field fails each of its checks; one "required" is enough.
  const distinct = own.filter((issue, index) => own.findIndex((other) => other.code === issue.code) === index);
  // Findings inside a value of the wrong type add nothing.
  if (distinct.some(({ code }) => code === EdgeIssues.wrongType.code)) return distinct;
  return [...distinct, ...(error.children ?? []).flatMap((child) => issuesOf(child, `${path}.`))];
}
