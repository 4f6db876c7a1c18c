import type { ThinkingConfig } from '../../contract/tool/context.js'
import { quote } from '../../shared/quote.js'
import { UsageError } from '../io/exit.js'

/** Options that programs pass, such as those of the Claude Agent SDK. */
export const PROGRAM_OPTIONS = {
  'include-events': { type: 'boolean', default: false },
  'include-hook-events': { type: 'boolean', default: false },
  'replay-user-messages': { type: 'boolean', default: false },
  'max-thinking-tokens': { type: 'string' },
  thinking: { type: 'string' },
  'thinking-display': { type: 'string' },
  effort: { type: 'string' },
  'no-session-persistence': { type: 'boolean', default: false },
  'strict-mcp-config': { type: 'boolean', default: false },
  'setting-sources': { type: 'string' },
  'dangerously-skip-permissions': { type: 'boolean', default: false },
  'allow-dangerously-skip-permissions': { type: 'boolean', default: false },
  'await-initialize': { type: 'boolean', default: false },
  debug: { type: 'boolean', default: false },
  'debug-file': { type: 'string' },
} as const

/** Options of the Agent SDK that change what a run does, and that Haft cannot do. Ignoring them would do something else. */
const UNSUPPORTED_OPTIONS: Readonly<Record<string, string>> = {
  agent: 'use --system-prompt, --tools and --model',
  betas: 'set the header of the provider in the settings',
  channels: 'use MCP servers',
  'managed-settings': 'write the managed settings file',
  'managed-settings-in-initialize': 'write the managed settings file',
  'permission-prompts': 'use --permission-prompt-tool',
  'plugin-dir': 'use --settings, --mcp-config and the folders for skills and agents',
  'plugin-dir-no-mcp': 'use --settings and the folders for skills and agents',
  'project-config-root': 'start haft in the project',
  'resume-drops-turn': 'use --resume with --fork-session',
  'resume-session-at': 'use --resume with --fork-session',
  'sdk-url': 'use standard input and output',
  'session-mirror': 'use haft/sdk, whose option sessionStore works',
  'task-budget': 'use --max-turns or --max-budget-usd',
}

const SETTING_SOURCES = ['user', 'project', 'local'] as const
export type SettingSource = (typeof SETTING_SOURCES)[number]

/** The thinking budget of each effort, because models take a budget or decide themselves. */
const EFFORT_BUDGETS: Readonly<Record<string, number>> = {
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 63_999,
}

/** The options of `PROGRAM_OPTIONS`, parsed. */
export interface ProgramOptions {
  /** `--include-events`: also print the lines that only Haft has. */
  readonly hasEvents: boolean
  readonly hasHookEvents: boolean
  /** `--replay-user-messages`: print each prompt when it is used. */
  readonly repeatsPrompts: boolean
  /** Undefined if the settings decide. */
  readonly thinking: ThinkingConfig | undefined
  /** Whether the session is stored. */
  readonly isSaved: boolean
  /** `--strict-mcp-config`: use only the servers of `--mcp-config`. */
  readonly hasStrictServers: boolean
  /** The settings files to use; undefined for all. The managed policy always applies. */
  readonly settingSources: readonly SettingSource[] | undefined
  /** Whether the driving program may change the mode to bypassPermissions. */
  readonly mayBypassPermissions: boolean
  /** Where events of the session are written for debugging: standard error, a file, or nowhere. */
  readonly debug: 'stderr' | { readonly file: string } | undefined
}

interface ProgramValues {
  readonly 'include-events': boolean
  readonly 'include-hook-events': boolean
  readonly 'replay-user-messages': boolean
  readonly 'max-thinking-tokens'?: string | undefined
  readonly thinking?: string | undefined
  readonly 'thinking-display'?: string | undefined
  readonly effort?: string | undefined
  readonly 'no-session-persistence': boolean
  readonly 'strict-mcp-config': boolean
  readonly 'setting-sources'?: string | undefined
  readonly 'dangerously-skip-permissions': boolean
  readonly 'allow-dangerously-skip-permissions': boolean
  readonly debug: boolean
  readonly 'debug-file'?: string | undefined
}

export function readProgramOptions(values: ProgramValues): ProgramOptions {
  if (values['thinking-display'] !== undefined && values['thinking-display'] !== 'summarized')
    throw new UsageError(`--thinking-display ${quote(values['thinking-display'])} is not supported. Use summarized.`)
  const debugFile = values['debug-file']
  return {
    hasEvents: values['include-events'],
    hasHookEvents: values['include-hook-events'],
    repeatsPrompts: values['replay-user-messages'],
    thinking: parseThinking(values),
    isSaved: !values['no-session-persistence'],
    hasStrictServers: values['strict-mcp-config'],
    settingSources: parseSources(values['setting-sources']),
    mayBypassPermissions: values['allow-dangerously-skip-permissions'] || values['dangerously-skip-permissions'],
    debug: debugFile !== undefined ? { file: debugFile } : values.debug ? 'stderr' : undefined,
  }
}

function parseThinking(values: ProgramValues): ThinkingConfig | undefined {
  const { thinking, effort } = values
  const tokens = values['max-thinking-tokens']
  if (tokens !== undefined) {
    if (!/^\d{1,7}$/.test(tokens))
      throw new UsageError(`--max-thinking-tokens must be a number of tokens, not ${quote(tokens)}.`)
    return toThinking(Number(tokens))
  }
  if (thinking !== undefined) {
    if (thinking === 'adaptive' || thinking === 'disabled') return { type: thinking }
    throw new UsageError(`invalid value ${quote(thinking)} for --thinking. Use adaptive or disabled.`)
  }
  if (effort === undefined) return undefined
  const budgetTokens = Object.hasOwn(EFFORT_BUDGETS, effort) ? EFFORT_BUDGETS[effort] : undefined
  if (budgetTokens !== undefined) return { type: 'enabled', budgetTokens }
  throw new UsageError(`invalid value ${quote(effort)} for --effort. Use ${Object.keys(EFFORT_BUDGETS).join(', ')}.`)
}

/** Returns the thinking for a limit of tokens; 0 turns it off. */
export function toThinking(maxTokens: number): ThinkingConfig {
  return maxTokens === 0 ? { type: 'disabled' } : { type: 'enabled', budgetTokens: maxTokens }
}

function parseSources(text: string | undefined): readonly SettingSource[] | undefined {
  return text
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => {
      const source = SETTING_SOURCES.find((candidate) => candidate === name)
      if (source !== undefined) return source
      throw new UsageError(`unknown source ${quote(name)} in --setting-sources. Use ${SETTING_SOURCES.join(', ')}.`)
    })
}

/** Rejects options that Haft knows but cannot honour, before other unknown options are reported. */
export function refuseUnsupportedOptions(args: readonly string[]): void {
  for (const argument of args) {
    if (argument === '--') return
    const [, name = ''] = /^--([a-z-]+)(?:=|$)/.exec(argument) ?? []
    if (Object.hasOwn(UNSUPPORTED_OPTIONS, name))
      throw new UsageError(`--${name} is not supported. Instead, ${UNSUPPORTED_OPTIONS[name]}.`)
  }
}

/** Converts options such as `--allowedTools` to the spelling `--allowed-tools`. */
export function toKebabCase(argument: string): string {
  const [, name = '', rest = ''] = /^--([a-z]+(?:[A-Z][a-z]*)+)(=.*)?$/s.exec(argument) ?? []
  if (name === '') return argument
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}${rest}`
}
