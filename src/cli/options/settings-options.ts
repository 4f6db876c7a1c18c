import { PERMISSION_MODES, type PermissionMode } from '../../contract/permission/context.js'
import { PermissionRuleError, parsePermissionRule } from '../../contract/permission/rule.js'
import { findNearestNames } from '../../shared/nearest-names.js'
import { asUsageError, UsageError } from '../io/exit.js'
import type { SettingSource } from './program-options.js'

/** Options of all commands that use settings. */
export const SETTINGS_OPTIONS = {
  trust: { type: 'boolean', default: false },
  settings: { type: 'string' },
  'permission-mode': { type: 'string' },
  'allowed-tools': { type: 'string', multiple: true },
  'disallowed-tools': { type: 'string', multiple: true },
  'mcp-config': { type: 'string', multiple: true },
} as const

export interface SettingsValues {
  readonly trust: boolean
  readonly settings?: string | undefined
  readonly 'permission-mode'?: string | undefined
  readonly 'allowed-tools'?: readonly string[] | undefined
  readonly 'disallowed-tools'?: readonly string[] | undefined
  readonly 'mcp-config'?: readonly string[] | undefined
  /** Ask rules of a program. There is no option for them. */
  readonly askRules?: readonly string[] | undefined
  readonly 'add-dir'?: readonly string[] | undefined
  /** The settings files to use; undefined for all. */
  readonly settingSources?: readonly SettingSource[] | undefined
  /** Whether only the servers of `--mcp-config` and of the managed policy are used. */
  readonly hasStrictServers?: boolean
}

/** Returns the permission settings of the command line. Invalid values end the command, because scripts ignore warnings. */
export function toPermissionSettings(values: SettingsValues) {
  const mode = values['permission-mode']
  const directories = values['add-dir']
  const allow = parseRules('--allowed-tools', values['allowed-tools'])
  const deny = parseRules('--disallowed-tools', values['disallowed-tools'])
  const ask = parseRules('permissions.ask', values.askRules)
  const permissions = {
    ...(allow.length > 0 && { allow }),
    ...(deny.length > 0 && { deny }),
    ...(ask.length > 0 && { ask }),
    ...(mode !== undefined && { defaultMode: parsePermissionMode(mode) }),
    ...(directories !== undefined && { additionalDirectories: [...directories] }),
  }
  // Validating empty settings would take longer than reading all other settings.
  return Object.keys(permissions).length === 0 ? {} : { permissions }
}

function parsePermissionMode(name: string): PermissionMode {
  const mode = PERMISSION_MODES.find((candidate) => candidate === name)
  if (mode !== undefined) return mode
  const [near] = findNearestNames(name, PERMISSION_MODES)
  const advice = near === undefined ? `Known modes: ${PERMISSION_MODES.join(', ')}.` : `Did you mean ${near}?`
  throw new UsageError(`unknown permission mode ${JSON.stringify(name)}. ${advice}`)
}

function parseRules(option: string, values: readonly string[] = []): string[] {
  return splitRules(values).map((rule) => {
    try {
      return parsePermissionRule(rule).text
    } catch (error) {
      if (!(error instanceof PermissionRuleError)) throw error
      throw asUsageError(new Error(`${option}: ${error.message}`, { cause: error }))
    }
  })
}

/** Splits rules at commas and spaces outside parentheses. */
export function splitRules(values: readonly string[]): readonly string[] {
  return values.flatMap(splitRuleList)
}

function splitRuleList(text: string): readonly string[] {
  const rules: string[] = []
  let depth = 0
  let rule = ''
  for (const character of text) {
    if (depth === 0 && /[\s,]/.test(character)) {
      rules.push(rule)
      rule = ''
      continue
    }
    if (character === '(') depth++
    if (character === ')') depth = Math.max(0, depth - 1)
    rule += character
  }
  return [...rules, rule].filter((text) => text !== '')
}
