import { createFrozenCopy } from '../../shared/deep-freeze.js'
import { quote } from '../../shared/quote.js'

/** All permission modes. */
export const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'] as const
/** How to decide calls that no deny rule covers. For example, `dontAsk` denies calls that would otherwise need a question. */
export type PermissionMode = (typeof PERMISSION_MODES)[number]

/** Sources of rules, highest priority first. */
export const RULE_SOURCES = [
  'policy',
  'session',
  'command',
  'cliArg',
  'flagSettings',
  'localSettings',
  'projectSettings',
  'userSettings',
] as const
/** Where a rule comes from. */
export type RuleSource = (typeof RULE_SOURCES)[number]

/** Rules as text, such as `Bash(npm test)`, by source. */
export type RulesBySource = Readonly<Partial<Record<RuleSource, readonly string[]>>>

/** Names the file of each rule that comes from a file other than Haft's own settings. */
export type RuleFiles = Readonly<Partial<Record<RuleSource, Readonly<Record<string, string>>>>>

/** A directory outside the project in which reads, and in `acceptEdits` mode also edits, need no approval. */
export interface WorkingDirectory {
  readonly path: string
  readonly source: RuleSource
}

/** Everything a permission decision depends on, apart from the call. Deeply immutable: every change creates a new object. */
export interface ToolPermissionContext {
  readonly mode: PermissionMode
  readonly alwaysAllowRules: RulesBySource
  readonly alwaysDenyRules: RulesBySource
  readonly alwaysAskRules: RulesBySource
  readonly additionalWorkingDirectories: readonly WorkingDirectory[]
  /** MCP servers whose `readOnlyHint` counts in plan mode. The hint alone does not allow a call. */
  readonly trustedMcpServers?: readonly string[]
  /** Used only in messages that name the file of a rule. */
  readonly ruleFiles?: RuleFiles
}

/** Creates a permission context: fills in defaults, copies and deeply freezes it. */
export function createPermissionContext(overrides: Partial<ToolPermissionContext> = {}): ToolPermissionContext {
  if (overrides.mode !== undefined && !PERMISSION_MODES.includes(overrides.mode)) {
    throw new Error(`Unknown permission mode ${quote(overrides.mode)}. Use one of ${PERMISSION_MODES.join(', ')}.`)
  }
  return createFrozenCopy({
    mode: 'default' as const,
    alwaysAllowRules: {},
    alwaysDenyRules: {},
    alwaysAskRules: {},
    additionalWorkingDirectories: [],
    ...overrides,
  })
}
