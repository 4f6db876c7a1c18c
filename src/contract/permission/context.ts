import { deepFreeze } from '../../shared/deep-freeze.js'
import { quote } from '../../shared/quote.js'

export const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'] as const
export type PermissionMode = (typeof PERMISSION_MODES)[number]

/** Where rules come from, highest first. */
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
export type RuleSource = (typeof RULE_SOURCES)[number]

/** Rules as they are written (`Bash(npm test)`), under the source that brought them. */
export type RulesBySource = Readonly<Partial<Record<RuleSource, readonly string[]>>>

/** Of each source the rules that stand in another file than Haft's own, and what that is called. */
export type RuleFiles = Readonly<Partial<Record<RuleSource, Readonly<Record<string, string>>>>>

export interface WorkingDirectory {
  readonly path: string
  readonly source: RuleSource
}

/** All that permission decisions depend on beside the call itself. Deeply immutable: a change is a new object. */
export interface ToolPermissionContext {
  readonly mode: PermissionMode
  readonly alwaysAllowRules: RulesBySource
  readonly alwaysDenyRules: RulesBySource
  readonly alwaysAskRules: RulesBySource
  readonly additionalWorkingDirectories: readonly WorkingDirectory[]
  /** Only for words: who is told of a rule has to find it. */
  readonly ruleFiles?: RuleFiles
}

/** A permission context with what is left out filled in, copied and frozen all the way down. */
export function createPermissionContext(parts: Partial<ToolPermissionContext> = {}): ToolPermissionContext {
  if (parts.mode !== undefined && !PERMISSION_MODES.includes(parts.mode)) {
    throw new Error(`${quote(parts.mode)} is no permission mode; there are ${PERMISSION_MODES.join(', ')}.`)
  }
  return deepFreeze(
    structuredClone({
      mode: 'default' as const,
      alwaysAllowRules: {},
      alwaysDenyRules: {},
      alwaysAskRules: {},
      additionalWorkingDirectories: [],
      ...parts,
    }),
  )
}
