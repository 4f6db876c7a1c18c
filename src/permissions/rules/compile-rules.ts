import {
  RULE_SOURCES,
  type RuleFiles,
  type RuleSource,
  type RulesBySource,
  type ToolPermissionContext,
} from '../../contract/permission/context.js'
import type { DecisionReason } from '../../contract/permission/result.js'
import { type PermissionRule, parsePermissionRule } from '../../contract/permission/rule.js'
import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import { type CommandPattern, parseCommandPattern } from '../../shell/patterns/command-pattern.js'
import { type DomainPattern, parseDomainPattern } from './domain-pattern.js'
import { type PathPattern, parsePathPattern } from './path-pattern.js'

/** The text of a rule and its source. */
export interface BareRule {
  readonly text: string
  readonly source: RuleSource
  /** The file that contains the rule, if it is not the settings file of its source. */
  readonly file?: string
}

/**
 * A rule with content. The content is parsed as a command, a path and a domain, because the kind of call decides which of them
 * applies.
 */
export interface ContentRule extends BareRule {
  readonly toolName: string
  readonly content: string
  readonly command: CommandPattern
  /** Omitted if the content is not a valid path. */
  readonly path?: PathPattern
  readonly domain?: DomainPattern
}

/** One of the three rule lists, merged from all sources. Rules of a source with higher precedence come first. */
export interface RuleList {
  readonly isEmpty: boolean
  readonly bare: ReadonlyMap<string, BareRule>
  readonly contentRules: ReadonlyMap<string, readonly ContentRule[]>
}

/** The compiled rules of a permission context. */
export interface CompiledRules {
  readonly deny: RuleList
  readonly ask: RuleList
  readonly allow: RuleList
}

/** Whether a deny or ask rule is about reading certain files. */
export function restrictsReading({ deny, ask }: CompiledRules): boolean {
  return deny.contentRules.has(RULE_FAMILIES.reads) || ask.contentRules.has(RULE_FAMILIES.reads)
}

/** Returns the first rule without content for one of these names. */
export function findBareRule({ bare }: RuleList, names: readonly string[]): BareRule | undefined {
  if (bare.size === 0) return undefined
  for (const name of names) {
    const rule = bare.get(name)
    if (rule !== undefined) return rule
  }
  return undefined
}

const compiledByContext = new WeakMap<ToolPermissionContext, CompiledRules>()

/** Compiles the rules of a context. The result is cached if the context is immutable. */
export function compileRules(context: ToolPermissionContext): CompiledRules {
  const cachedRules = compiledByContext.get(context)
  if (cachedRules !== undefined) return cachedRules
  const rules = {
    deny: compileList(context.alwaysDenyRules, 'restricts', context.ruleFiles),
    ask: compileList(context.alwaysAskRules, 'restricts', context.ruleFiles),
    allow: compileList(context.alwaysAllowRules, 'allows', context.ruleFiles),
  }
  if (isImmutable(context)) compiledByContext.set(context, rules)
  return rules
}

function compileList(rules: RulesBySource, purpose: 'restricts' | 'allows', files: RuleFiles = {}): RuleList {
  const bare = new Map<string, BareRule>()
  const contentRules = new Map<string, ContentRule[]>()
  for (const source of RULE_SOURCES) {
    for (const ruleText of rules[source] ?? []) {
      const filesByRule = files[source] ?? {}
      const file = Object.hasOwn(filesByRule, ruleText) ? filesByRule[ruleText] : undefined
      addRule(String(ruleText), { source, ...(file !== undefined && { file }) }, purpose, bare, contentRules)
    }
  }
  return { isEmpty: bare.size === 0 && contentRules.size === 0, bare, contentRules }
}

type RuleOrigin = Omit<BareRule, 'text'>

function addRule(
  ruleText: string,
  origin: RuleOrigin,
  purpose: 'restricts' | 'allows',
  bareRules: Map<string, BareRule>,
  contentRules: Map<string, ContentRule[]>,
): void {
  const addBareRule = (name: string, text: string) => {
    if (!bareRules.has(name)) bareRules.set(name, { text, ...origin })
  }
  const addContentRule = (rule: PermissionRule, content: string) => {
    const list = contentRules.get(rule.toolName)
    const contentRule = compileContent(rule, content, origin)
    if (list === undefined) contentRules.set(rule.toolName, [contentRule])
    else list.push(contentRule)
  }
  const rule = parseRule(ruleText)
  if (rule === undefined) {
    // A malformed deny or ask rule covers the whole tool that it names; a malformed allow rule covers nothing.
    const name = /^[\w-]+/.exec(ruleText.trim())?.[0]
    if (purpose === 'restricts' && name !== undefined) addBareRule(name, ruleText.trim())
    return
  }
  if (rule.content === undefined) {
    addBareRule(rule.toolName, rule.text)
    // For other tools of the same family, an allow rule without content, such as `Edit`, covers what `Edit(**)` covers.
    if (purpose === 'allows' && FILE_FAMILIES.has(rule.toolName)) addContentRule(rule, '**')
    return
  }
  // The name of a server may contain parentheses. So the whole rule is also used as a name, which can only restrict more.
  if (purpose === 'restricts' && rule.toolName.startsWith('mcp__')) addBareRule(rule.text, rule.text)
  addContentRule(rule, rule.content)
}

/**
 * The rule families for reading and writing files. `findRestriction` applies deny and ask rules without content to whole
 * families.
 */
const FILE_FAMILIES: ReadonlySet<string> = new Set([RULE_FAMILIES.reads, RULE_FAMILIES.writes])

function parseRule(ruleText: string): PermissionRule | undefined {
  try {
    return parsePermissionRule(ruleText)
  } catch {
    // `findUnmatchableRules` reports the invalid rule.
    return undefined
  }
}

function compileContent({ text, toolName }: PermissionRule, content: string, origin: RuleOrigin): ContentRule {
  const path = parsePathPattern(content)
  const domain = parseDomainPattern(content)
  return {
    text,
    ...origin,
    toolName,
    content,
    command: parseCommandPattern(content),
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

/** Describes a rule and its source, so that the user can find it. */
export function describeRule({ text, source, file = SOURCE_NAMES[source] }: BareRule): string {
  return `${text} in ${file}`
}

/** Creates the reason of a decision by a rule. */
export function toRuleReason({ text, source, file = SOURCE_NAMES[source] }: BareRule, kind: string): DecisionReason {
  return { type: 'rule', text: `${kind} from ${file}`, rule: text, source }
}
