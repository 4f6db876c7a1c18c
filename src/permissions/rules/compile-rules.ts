import {
  RULE_SOURCES,
  type RuleFiles,
  type RuleSource,
  type RulesBySource,
  type ToolPermissionContext,
} from '../../contract/permission/context.js'
import type { DecisionReason } from '../../contract/permission/result.js'
import { type PermissionRule, parsePermissionRule } from '../../contract/permission/rule.js'
import { type CommandPattern, parseCommandPattern } from '../../shell/command-pattern.js'
import { parseDomainPattern } from './domain-pattern.js'
import { type PathPattern, parsePathPattern } from './path-pattern.js'

export interface BareRule {
  readonly text: string
  readonly source: RuleSource
  /** The name of the file it stands in, where that is not the source's own. */
  readonly file?: string
}

/** A rule with content, read in every way that some call may need. */
export interface ContentRule extends BareRule {
  readonly toolName: string
  readonly content: string
  readonly command: CommandPattern
  /** The same without quotes, where there are any: commands are compared after quote removal. */
  readonly unquoted?: CommandPattern
  /** Left out where the content cannot be a path. */
  readonly path?: PathPattern
  readonly domain?: string
}

/** One of the three lists over all sources, highest source first. */
export interface RuleList {
  readonly isEmpty: boolean
  readonly bare: ReadonlyMap<string, BareRule>
  readonly withContent: ReadonlyMap<string, readonly ContentRule[]>
}

export interface CompiledRules {
  readonly deny: RuleList
  readonly ask: RuleList
  readonly allow: RuleList
}

/** The first rule without content under one of these names. */
export function bareRule({ bare }: RuleList, names: readonly string[]): BareRule | undefined {
  if (bare.size === 0) return undefined
  for (const name of names) {
    const rule = bare.get(name)
    if (rule !== undefined) return rule
  }
  return undefined
}

const compiled = new WeakMap<ToolPermissionContext, CompiledRules>()

/** The rules of a context, read once for each context that can no longer change. */
export function compileRules(context: ToolPermissionContext): CompiledRules {
  const known = compiled.get(context)
  if (known !== undefined) return known
  const rules = {
    deny: compileList(context.alwaysDenyRules, 'restricts', context.ruleFiles),
    ask: compileList(context.alwaysAskRules, 'restricts', context.ruleFiles),
    allow: compileList(context.alwaysAllowRules, 'allows', context.ruleFiles),
  }
  if (isImmutable(context)) compiled.set(context, rules)
  return rules
}

function compileList(rules: RulesBySource, purpose: 'restricts' | 'allows', files: RuleFiles = {}): RuleList {
  const bare = new Map<string, BareRule>()
  const withContent = new Map<string, ContentRule[]>()
  for (const source of RULE_SOURCES) {
    for (const written of rules[source] ?? []) {
      const named = files[source] ?? {}
      const file = Object.hasOwn(named, written) ? named[written] : undefined
      addRule(String(written), { source, ...(file !== undefined && { file }) }, purpose, bare, withContent)
    }
  }
  return { isEmpty: bare.size === 0 && withContent.size === 0, bare, withContent }
}

type RulePlace = Omit<BareRule, 'text'>

function addRule(
  written: string,
  place: RulePlace,
  purpose: 'restricts' | 'allows',
  bare: Map<string, BareRule>,
  withContent: Map<string, ContentRule[]>,
): void {
  const addBare = (name: string, text: string) => {
    if (!bare.has(name)) bare.set(name, { text, ...place })
  }
  const rule = readRule(written)
  if (rule === undefined) {
    // A restriction that cannot be read covers the whole tool it begins with, an allowance nothing.
    const name = /^[\w-]+/.exec(written.trim())?.[0]
    if (purpose === 'restricts' && name !== undefined) addBare(name, written.trim())
    return
  }
  if (rule.content === undefined) {
    addBare(rule.toolName, rule.text)
    return
  }
  // A server's own name may hold parentheses: read as a name, such a rule can only restrict more.
  if (purpose === 'restricts' && rule.toolName.startsWith('mcp__')) addBare(rule.text, rule.text)
  const list = withContent.get(rule.toolName)
  const contentRule = compileContent(rule, rule.content, place)
  if (list === undefined) withContent.set(rule.toolName, [contentRule])
  else list.push(contentRule)
}

function readRule(written: string): PermissionRule | undefined {
  try {
    return parsePermissionRule(written)
  } catch {
    // Reported to its author by `findUnmatchableRules`.
    return undefined
  }
}

function compileContent({ text, toolName }: PermissionRule, content: string, place: RulePlace): ContentRule {
  const path = parsePathPattern(content)
  const domain = parseDomainPattern(content)
  return {
    text,
    ...place,
    toolName,
    content,
    command: parseCommandPattern(content),
    ...(/["'\\]/.test(content) && { unquoted: parseCommandPattern(content.replace(/["'\\]/g, '')) }),
    ...('pattern' in path && { path: path.pattern }),
    ...(domain !== undefined && { domain }),
  }
}

function isImmutable(context: ToolPermissionContext): boolean {
  const lists = [context.alwaysAllowRules, context.alwaysDenyRules, context.alwaysAskRules]
  return (
    Object.isFrozen(context) &&
    lists.every((list) => Object.isFrozen(list) && Object.values(list).every((rules) => Object.isFrozen(rules)))
  )
}

const SOURCE_NAMES: Readonly<Record<RuleSource, string>> = {
  policy: 'managed policy',
  session: 'this session',
  command: 'the running command',
  cliArg: 'the command line',
  flagSettings: 'the flag settings',
  localSettings: '.haft/settings.local.json',
  projectSettings: '.haft/settings.json',
  userSettings: '~/.haft/settings.json',
}

/** The rule and where it stands, for a person to find it. */
export function describeRule({ text, source, file = SOURCE_NAMES[source] }: BareRule): string {
  return `${text} in ${file}`
}

export function ruleReason({ text, source, file = SOURCE_NAMES[source] }: BareRule, kind: string): DecisionReason {
  return { type: 'rule', text: `${kind} from ${file}`, rule: text, source }
}
