import type * as z from 'zod'
import { type PermissionRule, PermissionRuleError, parsePermissionRule } from '../contract/permission-rule.js'
import { nearestNames } from '../shared/nearest-names.js'
import { compileMatcher, type HookMatcher, MatcherError } from './compile-matcher.js'
import { configureHook } from './configure-hook.js'
import type { ConfiguredHook, HookConfig, HookProblem } from './hook-config.js'
import { HOOK_EVENTS, type HookEvent, isHookEvent } from './hook-events.js'
import { type CheckedHook, type HookType, hookGroupSchema, hookSchemas, jsonHookSchemas } from './hook-schemas.js'

/** Reads the `hooks` of settings. What cannot be used is reported and left out; the rest works. */
export function parseHookConfig(settings: unknown): { config: HookConfig; problems: readonly HookProblem[] } {
  const problems: HookProblem[] = []
  const config: Partial<Record<HookEvent, readonly ConfiguredHook[]>> = {}
  if (settings === undefined) return { config, problems }
  if (!isObject(settings)) {
    problems.push({ path: 'hooks', message: 'must be an object with a list for each event' })
    return { config, problems }
  }
  for (const [event, groups] of Object.entries(settings)) {
    if (!isHookEvent(event)) problems.push({ path: event, message: unknownEvent(event) })
    else if (!Array.isArray(groups)) problems.push({ path: event, message: 'must be a list of { matcher, hooks }' })
    else {
      const hooks = groups.flatMap((group, index) => readGroup(group, `${event}[${index}]`, problems))
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

function readGroup(group: unknown, path: string, problems: HookProblem[]): readonly ConfiguredHook[] {
  const read = check(hookGroupSchema.schema, group, path, problems)
  const matcher = read && readMatcher(read.matcher ?? '', path, problems)
  if (read === undefined || matcher === undefined) return []
  const groupCondition = readCondition(read.if, path, problems)
  return read.hooks.flatMap((written, index) => {
    const hookPath = `${path}.hooks[${index}]`
    const checked = readHook(written, hookPath, problems)
    if (checked === undefined) return []
    const conditions = [...groupCondition, ...readCondition(checked.if, hookPath, problems)]
    return [configureHook(checked, matcher, conditions)]
  })
}

function readMatcher(text: string, path: string, problems: HookProblem[]): HookMatcher | undefined {
  try {
    return compileMatcher(text)
  } catch (error) {
    if (!(error instanceof MatcherError)) throw error
    problems.push({ path, message: `${error.message} Its hooks are left out.` })
    return undefined
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
  const type = isObject(written) ? written.type : undefined
  if (typeof type === 'string' && Object.hasOwn(hookSchemas, type))
    return check<CheckedHook>(hookSchemas[type as HookType].schema, written, path, problems)
  const kinds = Object.keys(jsonHookSchemas).join(', ')
  problems.push({ path, message: `needs a type, one of ${kinds}; it is left out.` })
  return undefined
}

interface ObjectReader<T> {
  readonly shape: Readonly<Record<string, unknown>>
  safeParse(value: unknown): z.ZodSafeParseResult<T>
}

function check<T>(schema: ObjectReader<T>, value: unknown, path: string, problems: HookProblem[]): T | undefined {
  const result = schema.safeParse(value)
  if (!result.success) {
    for (const issue of result.error.issues)
      problems.push({ path: [path, ...issue.path.map(String)].join('.'), message: `${issue.message}; it is left out.` })
    return undefined
  }
  for (const field of Object.keys(value as object)) {
    if (!Object.hasOwn(schema.shape, field))
      problems.push({ path: `${path}.${field}`, message: 'is not known and has no effect.' })
  }
  return result.data
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
