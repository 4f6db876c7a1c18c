import type * as z from 'zod'
import { type PermissionRule, PermissionRuleError, parsePermissionRule } from '../contract/permission/rule.js'
import { isRecord } from '../shared/is-record.js'
import { nearestNames } from '../shared/nearest-names.js'
import { compileMatcher, type HookMatcher, MatcherError, matchAll } from './compile-matcher.js'
import { configureHook } from './configure-hook.js'
import type { ConfiguredHook, HookConfig, HookProblem } from './hook-config.js'
import { decidesPermission, HOOK_EVENTS, type HookEvent, isHookEvent } from './hook-events.js'
import { type CheckedHook, type HookType, hookGroupSchema, hookSchemas, jsonHookSchemas } from './hook-schemas.js'

/** Reads the `hooks` of settings. What cannot be used is reported and left out; the rest works. */
export function parseHookConfig(settings: unknown): { config: HookConfig; problems: readonly HookProblem[] } {
  const problems: HookProblem[] = []
  const config: Partial<Record<HookEvent, readonly ConfiguredHook[]>> = {}
  if (settings === undefined) return { config, problems }
  if (!isRecord(settings)) {
    problems.push({ path: 'hooks', message: 'must be an object with a list for each event' })
    return { config, problems }
  }
  for (const [event, groups] of Object.entries(settings)) {
    if (!isHookEvent(event)) problems.push({ path: event, message: unknownEvent(event) })
    else if (!Array.isArray(groups)) problems.push({ path: event, message: 'must be a list of { matcher, hooks }' })
    else {
      const hooks = groups.flatMap((group, index) => readGroup(event, group, `${event}[${index}]`, problems))
      if (hooks.length > 0) config[event] = hooks
    }
  }
  return { config, problems }
}

function unknownEvent(event: string): string {
  const [nearest] = nearestNames(event, HOOK_EVENTS, 1)
  const advice = nearest === undefined ? `The events are ${HOOK_EVENTS.join(', ')}.` : `Did you mean ${nearest}?`
  return `is no event, so its hooks never run. ${advice}`
}

function readGroup(event: HookEvent, group: unknown, path: string, problems: HookProblem[]): readonly ConfiguredHook[] {
  const read = check(hookGroupSchema.schema, group, path, problems)
  if (read === undefined) return []
  const isLost = read.matcher === undefined && isRecord(group) && group.matcher !== undefined
  const matcher = isLost ? unusableMatcher(event) : readMatcher(event, read.matcher ?? '', path, problems)
  if (matcher === undefined) return []
  const groupCondition = readCondition(read.if, path, problems)
  return read.hooks.flatMap((written, index) => {
    const hookPath = `${path}.hooks[${index}]`
    const checked = readHook(written, hookPath, problems)
    if (checked === undefined) return []
    const conditions = [...groupCondition, ...readCondition(checked.if, hookPath, problems)]
    return [configureHook(checked, matcher, conditions)]
  })
}

/** A guard must not be skipped because of a slip; what decides nothing is rather left out than run for every name. */
function unusableMatcher(event: HookEvent): HookMatcher | undefined {
  return decidesPermission(event) ? matchAll('') : undefined
}

function readMatcher(event: HookEvent, text: string, path: string, problems: HookProblem[]): HookMatcher | undefined {
  try {
    return compileMatcher(text)
  } catch (error) {
    if (!(error instanceof MatcherError)) throw error
    const matcher = unusableMatcher(event)
    const consequence = matcher === undefined ? 'Its hooks are left out.' : 'Its hooks run for every name.'
    problems.push({ path, message: `${error.message} ${consequence}` })
    return matcher
  }
}

/** An `if` that cannot be read is dropped and its hook stays: a guard must not be skipped because of a slip. */
function readCondition(rule: string | undefined, path: string, problems: HookProblem[]): readonly PermissionRule[] {
  if (rule === undefined) return []
  try {
    return [parsePermissionRule(rule)]
  } catch (error) {
    if (!(error instanceof PermissionRuleError)) throw error
    problems.push({ path: `${path}.if`, message: `${error.message} The hook runs without this condition.` })
    return []
  }
}

function readHook(written: unknown, path: string, problems: HookProblem[]): CheckedHook | undefined {
  const type = isRecord(written) ? written.type : undefined
  if (typeof type === 'string' && Object.hasOwn(hookSchemas, type))
    return check<CheckedHook>(hookSchemas[type as HookType].schema, written, path, problems)
  const kinds = Object.keys(jsonHookSchemas).join(', ')
  problems.push({ path, message: `needs a type, one of ${kinds}; it is left out.` })
  return undefined
}

interface ObjectReader<T> {
  readonly shape: Readonly<Record<string, { safeParse(value: unknown): { readonly success: boolean } }>>
  safeParse(value: unknown): z.ZodSafeParseResult<T>
}

/** Reads what can be read: a field that may be missing is left out where it is wrong, and the rest stays. */
function check<T>(schema: ObjectReader<T>, value: unknown, path: string, problems: HookProblem[]): T | undefined {
  const first = schema.safeParse(value)
  const wrong = first.success ? [] : first.error.issues
  for (const issue of wrong)
    problems.push({ path: [path, ...issue.path.map(String)].join('.'), message: `${issue.message}; it is left out.` })
  const result = first.success ? first : schema.safeParse(without(value, schema, wrong))
  if (!result.success) return undefined
  for (const field of Object.keys(value as object)) {
    if (!Object.hasOwn(schema.shape, field))
      problems.push({ path: `${path}.${field}`, message: 'is not known and has no effect.' })
  }
  return result.data
}

function without(value: unknown, { shape }: ObjectReader<unknown>, wrong: readonly z.core.$ZodIssue[]): unknown {
  if (!isRecord(value)) return value
  const left = wrong.map(({ path: [field] }) => String(field)).filter((field) => isOptional(shape, field))
  return Object.fromEntries(Object.entries(value).filter(([field]) => !left.includes(field)))
}

function isOptional(shape: ObjectReader<unknown>['shape'], field: string): boolean {
  return Object.hasOwn(shape, field) && shape[field]?.safeParse(undefined).success === true
}
