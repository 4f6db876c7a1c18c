import * as z from 'zod'
import { type PermissionRule, PermissionRuleError, parsePermissionRule } from '../../contract/permission/rule.js'
import { lazySchema } from '../../contract/schema.js'
import { isRecord } from '../../shared/is-record.js'
import { nearestNames } from '../../shared/nearest-names.js'
import { compileMatcher, type HookMatcher, MatcherError, matchAll } from './compile-matcher.js'
import type { ConfiguredHook, Hook, HookConfig, HookFunction, HookProblem } from './hook-config.js'
import { decidesPermission, HOOK_EVENTS, type HookEvent, isHookEvent } from './hook-events.js'

/** Parses the `hooks` of settings. Invalid parts are reported and left out; the rest works. */
export function parseHookConfig(settings: unknown): { config: HookConfig; problems: readonly HookProblem[] } {
  const problems: HookProblem[] = []
  const config: Partial<Record<HookEvent, readonly ConfiguredHook[]>> = {}
  if (settings === undefined) return { config, problems }
  if (!isRecord(settings)) {
    problems.push({ path: 'hooks', message: 'must be an object with a list for each event' })
    return { config, problems }
  }
  for (const [event, groups] of Object.entries(settings)) {
    if (!isHookEvent(event)) problems.push({ path: event, message: unknownEventMessage(event) })
    else if (!Array.isArray(groups)) problems.push({ path: event, message: 'must be a list of { matcher, hooks }' })
    else {
      const hooks = groups.flatMap((group, index) => readGroup(event, group, `${event}[${index}]`, problems))
      if (hooks.length > 0) config[event] = hooks
    }
  }
  return { config, problems }
}

function unknownEventMessage(event: string): string {
  const [nearest] = nearestNames(event, HOOK_EVENTS, 1)
  const advice = nearest === undefined ? `The events are ${HOOK_EVENTS.join(', ')}.` : `Did you mean ${nearest}?`
  return `is not a hook event, so its hooks never run. ${advice}`
}

function readGroup(event: HookEvent, group: unknown, path: string, problems: HookProblem[]): readonly ConfiguredHook[] {
  const read = check(hookGroupSchema.schema, group, path, problems)
  if (read === undefined) return []
  const isMatcherInvalid = read.matcher === undefined && isRecord(group) && group.matcher !== undefined
  const matcher = isMatcherInvalid ? unusableMatcher(event) : readMatcher(event, read.matcher ?? '', path, problems)
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

/**
 * A guard must not be skipped because of a typo. Hooks that decide nothing are left out instead of running for every
 * name.
 */
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

/** An invalid `if` is dropped and its hook stays: a guard must not be skipped because of a typo. */
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

/** Leaves out invalid optional fields and keeps the rest. */
function check<T>(schema: ObjectReader<T>, value: unknown, path: string, problems: HookProblem[]): T | undefined {
  const first = schema.safeParse(value)
  const invalid = first.success ? [] : first.error.issues
  for (const issue of invalid)
    problems.push({ path: [path, ...issue.path.map(String)].join('.'), message: `${issue.message}; it is left out.` })
  const result = first.success ? first : schema.safeParse(without(value, schema, invalid))
  if (!result.success) return undefined
  for (const field of Object.keys(value as object)) {
    if (!Object.hasOwn(schema.shape, field))
      problems.push({ path: `${path}.${field}`, message: 'is not a known field and has no effect.' })
  }
  return result.data
}

function without(value: unknown, { shape }: ObjectReader<unknown>, invalid: readonly z.core.$ZodIssue[]): unknown {
  if (!isRecord(value)) return value
  const left = invalid.map(({ path: [field] }) => String(field)).filter((field) => isOptional(shape, field))
  return Object.fromEntries(Object.entries(value).filter(([field]) => !left.includes(field)))
}

function isOptional(shape: ObjectReader<unknown>['shape'], field: string): boolean {
  return Object.hasOwn(shape, field) && shape[field]?.safeParse(undefined).success === true
}

const DEFAULT_TIMEOUT_SECONDS = 60
const MAX_LABEL_CHARS = 80

/** A hook with its defaults, its name for reports and its identity. */
function configureHook(
  written: CheckedHook,
  matcher: HookMatcher,
  conditions: readonly PermissionRule[],
): ConfiguredHook {
  return {
    matcher,
    conditions,
    hook: hookWithDefaults(written),
    label: labelOf(written),
    identity: identityOf(written),
  }
}

function hookWithDefaults(written: CheckedHook): Hook {
  const basics = {
    timeoutMs: (written.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    once: written.once ?? false,
    async: written.async ?? false,
    ...(written.statusMessage === undefined ? {} : { statusMessage: written.statusMessage }),
  }
  switch (written.type) {
    case 'command':
      return { ...basics, type: 'command', command: written.command }
    case 'http': {
      const { url, headers = {}, allowedEnvVars = [] } = written
      return { ...basics, type: 'http', url, headers, allowedEnvVars }
    }
    case 'mcp_tool':
      return { ...basics, type: 'mcp_tool', server: written.server, tool: written.tool, input: written.input ?? {} }
    case 'prompt': {
      const model = written.model === undefined ? {} : { model: written.model }
      return { ...basics, type: 'prompt', prompt: written.prompt, ...model }
    }
    case 'function':
      return { ...basics, type: 'function', run: written.run }
  }
}

function labelOf(written: CheckedHook): string {
  const text = `${written.type} ${descriptionOf(written)}`.replace(/\s+/g, ' ').trim()
  return text.length <= MAX_LABEL_CHARS ? text : `${text.slice(0, MAX_LABEL_CHARS - 1)}…`
}

function descriptionOf(written: CheckedHook): string {
  switch (written.type) {
    case 'command':
      return written.command
    case 'http': {
      // Without the query and the user name, which often contain secrets.
      const { origin, pathname } = new URL(written.url)
      return origin + pathname
    }
    case 'mcp_tool':
      return `${written.server}/${written.tool}`
    case 'prompt':
      return written.prompt
    case 'function':
      return written.name ?? written.run.name
  }
}

function identityOf(written: CheckedHook): unknown {
  switch (written.type) {
    case 'command':
      return JSON.stringify(['command', written.command])
    case 'http':
      return JSON.stringify(['http', written.url, written.headers ?? {}])
    case 'mcp_tool':
      return JSON.stringify(['mcp_tool', written.server, written.tool, written.input ?? {}])
    case 'prompt':
      return JSON.stringify(['prompt', written.prompt, written.model ?? ''])
    case 'function':
      return written.run
  }
}

/** In seconds. Timers of Node cannot wait longer: they would fire immediately. */
const MAX_TIMEOUT_SECONDS = 2_147_483

const BASICS = lazySchema(() =>
  z.object({
    if: z.string().optional().describe('Permission rule that the call must fall under, for example Bash(git push:*)'),
    timeout: z
      .number()
      .positive()
      .max(MAX_TIMEOUT_SECONDS)
      .optional()
      .describe('Time limit in seconds; 60 if left out'),
    once: z.boolean().optional().describe('Run no more than once in a session'),
    async: z.boolean().optional().describe('Do not wait for it; its answer decides nothing'),
    statusMessage: z.string().optional().describe('Shown while the hook runs'),
  }),
)

/** The hook types that a settings file can contain. */
const jsonHookSchemas = {
  command: lazySchema(() => BASICS.schema.extend({ type: z.literal('command'), command: z.string().min(1) })),
  http: lazySchema(() =>
    BASICS.schema.extend({
      type: z.literal('http'),
      url: z.url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' }),
      headers: z.record(z.string(), z.string()).optional(),
      allowedEnvVars: z.array(z.string()).optional(),
    }),
  ),
  mcp_tool: lazySchema(() =>
    BASICS.schema.extend({
      type: z.literal('mcp_tool'),
      server: z.string().min(1),
      tool: z.string().min(1),
      input: z.record(z.string(), z.json()).optional(),
    }),
  ),
  prompt: lazySchema(() =>
    BASICS.schema.extend({
      type: z.literal('prompt'),
      prompt: z.string().min(1),
      model: z.string().optional(),
    }),
  ),
} as const

const functionHookSchema = lazySchema(() =>
  BASICS.schema.extend({
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
    if: z.string().optional().describe('Permission rule that the call must fall under'),
    hooks: z.array(z.unknown()),
  }),
)
