import * as z from 'zod'
import { type PermissionRule, PermissionRuleError, parsePermissionRule } from '../../contract/permission/rule.js'
import { lazySchema } from '../../contract/schema.js'
import { shortenText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { findNearestNames } from '../../shared/nearest-names.js'
import { MAX_TIMER_MS } from '../../shared/waiting.js'
import { compileMatcher, type HookMatcher, MatcherError, matchAll } from './compile-matcher.js'
import type { ConfiguredHook, Hook, HookConfig, HookFunction, HookProblem } from './hook-config.js'
import { decidesPermission, HOOK_EVENTS, type HookEvent, isHookEvent } from './hook-events.js'

/** Parses the `hooks` of settings. Invalid parts are reported and left out; the other hooks still run. */
export function parseHookConfig(settings: unknown): { config: HookConfig; problems: readonly HookProblem[] } {
  const problems: HookProblem[] = []
  const config: Partial<Record<HookEvent, readonly ConfiguredHook[]>> = {}
  if (settings === undefined) return { config, problems }
  if (!isRecord(settings)) {
    problems.push({ path: 'hooks', message: 'must be an object with a list for each event' })
    return { config, problems }
  }
  for (const [event, groups] of Object.entries(settings)) {
    if (!isHookEvent(event)) problems.push({ path: event, message: describeUnknownEvent(event) })
    else if (!Array.isArray(groups)) problems.push({ path: event, message: 'must be a list of { matcher, hooks }' })
    else {
      const hooks = groups.flatMap((group, index) => readGroup(event, group, `${event}[${index}]`, problems))
      if (hooks.length > 0) config[event] = hooks
    }
  }
  return { config, problems }
}

function describeUnknownEvent(event: string): string {
  const [nearest] = findNearestNames(event, HOOK_EVENTS, 1)
  const advice = nearest === undefined ? `The events are ${HOOK_EVENTS.join(', ')}.` : `Did you mean ${nearest}?`
  return `is not a hook event, so its hooks never run. ${advice}`
}

function readGroup(event: HookEvent, group: unknown, path: string, problems: HookProblem[]): readonly ConfiguredHook[] {
  const checkedGroup = checkObject(hookGroupSchema.schema, group, path, problems)
  if (checkedGroup === undefined) return []
  const isMatcherInvalid = checkedGroup.matcher === undefined && isRecord(group) && group.matcher !== undefined
  const matcher = isMatcherInvalid
    ? createFallbackMatcher(event)
    : readMatcher(event, checkedGroup.matcher ?? '', path, problems)
  if (matcher === undefined) return []
  const groupCondition = readCondition(checkedGroup.if, path, problems)
  return checkedGroup.hooks.flatMap((rawHook, index) => {
    const hookPath = `${path}.hooks[${index}]`
    const checkedHook = readHook(rawHook, hookPath, problems)
    if (checkedHook === undefined) return []
    const conditions = [...groupCondition, ...readCondition(checkedHook.if, hookPath, problems)]
    return [configureHook(checkedHook, matcher, conditions)]
  })
}

/**
 * Returns the matcher that replaces an invalid one. A guard must not be skipped because of a typo, so it runs for every
 * name. Hooks that decide nothing are left out.
 */
function createFallbackMatcher(event: HookEvent): HookMatcher | undefined {
  return decidesPermission(event) ? matchAll('') : undefined
}

function readMatcher(event: HookEvent, text: string, path: string, problems: HookProblem[]): HookMatcher | undefined {
  try {
    return compileMatcher(text)
  } catch (error) {
    if (!(error instanceof MatcherError)) throw error
    const matcher = createFallbackMatcher(event)
    const consequence = matcher === undefined ? 'Its hooks are left out.' : 'Its hooks run for every name.'
    problems.push({ path, message: `${error.message} ${consequence}` })
    return matcher
  }
}

/** Reads the `if` of a hook. An invalid `if` is dropped and its hook stays: a guard must not be skipped because of a typo. */
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

function readHook(rawHook: unknown, path: string, problems: HookProblem[]): CheckedHook | undefined {
  const type = isRecord(rawHook) ? rawHook.type : undefined
  if (typeof type === 'string' && Object.hasOwn(hookSchemas, type))
    return checkObject<CheckedHook>(hookSchemas[type as HookType].schema, rawHook, path, problems)
  const kinds = Object.keys(jsonHookSchemas).join(', ')
  problems.push({ path, message: `needs a type, one of ${kinds}; it is left out.` })
  return undefined
}

interface ObjectReader<T> {
  readonly shape: Readonly<Record<string, { safeParse(value: unknown): { readonly success: boolean } }>>
  safeParse(value: unknown): z.ZodSafeParseResult<T>
}

/** Checks an object of the settings. Invalid optional fields are reported and left out; the rest is kept. */
function checkObject<T>(schema: ObjectReader<T>, value: unknown, path: string, problems: HookProblem[]): T | undefined {
  const firstResult = schema.safeParse(value)
  const issues = firstResult.success ? [] : firstResult.error.issues
  for (const issue of issues)
    problems.push({ path: [path, ...issue.path.map(String)].join('.'), message: `${issue.message}; it is left out.` })
  const result = firstResult.success ? firstResult : schema.safeParse(removeInvalidFields(value, schema, issues))
  if (!result.success) return undefined
  for (const field of Object.keys(value as object)) {
    if (!Object.hasOwn(schema.shape, field))
      problems.push({ path: `${path}.${field}`, message: 'is not a known field and has no effect.' })
  }
  return result.data
}

function removeInvalidFields(
  value: unknown,
  { shape }: ObjectReader<unknown>,
  issues: readonly z.core.$ZodIssue[],
): unknown {
  if (!isRecord(value)) return value
  const invalidFields = issues.map(({ path: [field] }) => String(field)).filter((field) => isOptional(shape, field))
  return Object.fromEntries(Object.entries(value).filter(([field]) => !invalidFields.includes(field)))
}

function isOptional(shape: ObjectReader<unknown>['shape'], field: string): boolean {
  return Object.hasOwn(shape, field) && shape[field]?.safeParse(undefined).success === true
}

const DEFAULT_TIMEOUT_SECONDS = 60
const MAX_LABEL_CHARS = 80

/** Returns a hook with its defaults, its name for reports and its identity. */
function configureHook(
  checkedHook: CheckedHook,
  matcher: HookMatcher,
  conditions: readonly PermissionRule[],
): ConfiguredHook {
  return {
    matcher,
    conditions,
    hook: addDefaults(checkedHook),
    label: createLabel(checkedHook),
    identity: createIdentity(checkedHook),
  }
}

function addDefaults(checkedHook: CheckedHook): Hook {
  const commonFields = {
    timeoutMs: (checkedHook.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    once: checkedHook.once ?? false,
    async: checkedHook.async ?? false,
    ...(checkedHook.statusMessage === undefined ? {} : { statusMessage: checkedHook.statusMessage }),
  }
  switch (checkedHook.type) {
    case 'command':
      return { ...commonFields, type: 'command', command: checkedHook.command }
    case 'http': {
      const { url, headers = {}, allowedEnvVars = [] } = checkedHook
      return { ...commonFields, type: 'http', url, headers, allowedEnvVars }
    }
    case 'mcp_tool':
      return {
        ...commonFields,
        type: 'mcp_tool',
        server: checkedHook.server,
        tool: checkedHook.tool,
        input: checkedHook.input ?? {},
      }
    case 'prompt': {
      const model = checkedHook.model === undefined ? {} : { model: checkedHook.model }
      return { ...commonFields, type: 'prompt', prompt: checkedHook.prompt, ...model }
    }
    case 'function':
      return { ...commonFields, type: 'function', run: checkedHook.run }
  }
}

function createLabel(checkedHook: CheckedHook): string {
  const text = `${checkedHook.type} ${describeHook(checkedHook)}`.replace(/\s+/g, ' ').trim()
  return shortenText(text, MAX_LABEL_CHARS)
}

function describeHook(checkedHook: CheckedHook): string {
  switch (checkedHook.type) {
    case 'command':
      return checkedHook.command
    case 'http': {
      // Without the query and the user name, which often contain secrets.
      const { origin, pathname } = new URL(checkedHook.url)
      return origin + pathname
    }
    case 'mcp_tool':
      return `${checkedHook.server}/${checkedHook.tool}`
    case 'prompt':
      return checkedHook.prompt
    case 'function':
      return checkedHook.name ?? checkedHook.run.name
  }
}

function createIdentity(checkedHook: CheckedHook): unknown {
  switch (checkedHook.type) {
    case 'command':
      return JSON.stringify(['command', checkedHook.command])
    case 'http':
      return JSON.stringify(['http', checkedHook.url, checkedHook.headers ?? {}])
    case 'mcp_tool':
      return JSON.stringify(['mcp_tool', checkedHook.server, checkedHook.tool, checkedHook.input ?? {}])
    case 'prompt':
      return JSON.stringify(['prompt', checkedHook.prompt, checkedHook.model ?? ''])
    case 'function':
      return checkedHook.run
  }
}

const MAX_TIMEOUT_SECONDS = Math.floor(MAX_TIMER_MS / 1000)

const COMMON_FIELDS = lazySchema(() =>
  z.object({
    if: z.string().optional().describe('Permission rule that the call must match, for example Bash(git push:*)'),
    timeout: z
      .number()
      .positive()
      .max(MAX_TIMEOUT_SECONDS)
      .optional()
      .describe('Time limit in seconds; 60 if left out'),
    once: z.boolean().optional().describe('Run no more than once in a session'),
    async: z.boolean().optional().describe('Do not wait for the hook; its answer decides nothing'),
    statusMessage: z.string().optional().describe('Shown while the hook runs'),
  }),
)

/** The hook types that a settings file can contain. */
const jsonHookSchemas = {
  command: lazySchema(() => COMMON_FIELDS.schema.extend({ type: z.literal('command'), command: z.string().min(1) })),
  http: lazySchema(() =>
    COMMON_FIELDS.schema.extend({
      type: z.literal('http'),
      url: z.url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' }),
      headers: z.record(z.string(), z.string()).optional(),
      allowedEnvVars: z.array(z.string()).optional(),
    }),
  ),
  mcp_tool: lazySchema(() =>
    COMMON_FIELDS.schema.extend({
      type: z.literal('mcp_tool'),
      server: z.string().min(1),
      tool: z.string().min(1),
      input: z.record(z.string(), z.json()).optional(),
    }),
  ),
  prompt: lazySchema(() =>
    COMMON_FIELDS.schema.extend({
      type: z.literal('prompt'),
      prompt: z.string().min(1),
      model: z.string().optional(),
    }),
  ),
} as const

const functionHookSchema = lazySchema(() =>
  COMMON_FIELDS.schema.extend({
    type: z.literal('function'),
    name: z.string().optional(),
    run: z.custom<HookFunction>((value) => typeof value === 'function', {
      error: 'must be a function, which only code can provide; use another hook type in a settings file',
    }),
  }),
)

/** All hook types, including the one that only code can provide. */
const hookSchemas = { ...jsonHookSchemas, function: functionHookSchema } as const

type HookType = keyof typeof hookSchemas
export type CheckedHook = { [T in HookType]: z.output<(typeof hookSchemas)[T]['schema']> }[HookType]

const hookGroupSchema = lazySchema(() =>
  z.object({
    matcher: z
      .string()
      .optional()
      .describe('Names joined by |, or a regular expression for the whole name; every name if empty'),
    if: z.string().optional().describe('Permission rule that the call must match'),
    hooks: z.array(z.unknown()),
  }),
)
