import { type Flag, feature } from './build-flags.js'

/** A flag that is set by an environment variable of the same name. */
export interface VariableFlag extends Flag {
  /** The platform or flag that determines the default value if the variable is not set. */
  readonly defaultFrom?: { readonly platform: string } | { readonly flag: string }
  /** Parses values other than the usual ones for yes and no. Returns undefined for an invalid value. */
  readonly read?: (value: string) => boolean | undefined
  /** The variable of another agent with the same meaning. It counts if the own one is not set. */
  readonly foreignVariable?: string
  /** The accepted values, as the documentation lists them. Omitted if they are 1 and 0. */
  readonly acceptedValues?: string
}

/** Gate 2: flags of the platform and the environment, read once. */
export const ENVIRONMENT_FLAGS = {
  HAFT_INTERNAL: {
    default: false,
    adds: ['Config', 'Terminal', ...(feature('PR_TOOLS') ? ['SuggestBackgroundPR'] : [])],
    description: 'Internal build: tools for developers of Haft, and REPL mode unless HAFT_REPL_MODE is set.',
  },
  HAFT_SIMPLE: {
    default: false,
    foreignVariable: 'CLAUDE_CODE_SIMPLE',
    description: 'Simple mode: Bash, Read and Edit only. `CLAUDE_CODE_SIMPLE` does the same.',
  },
  HAFT_REPL_MODE: {
    default: false,
    defaultFrom: { flag: 'HAFT_INTERNAL' },
    description: 'REPL mode: primitive tools are available only to code that runs in REPL.',
  },
  ENABLE_LSP_TOOL: {
    default: true,
    adds: ['LSP'],
    description: 'Offers the operations of language servers as a tool.',
  },
  HAFT_EMBEDDED_SEARCH: {
    default: false,
    removes: ['Glob', 'Grep'],
    description: 'The shell has built-in fast search.',
  },
  HAFT_DISABLE_EXPERIMENTAL_BETAS: {
    default: false,
    description: 'Sends tools found by tool search like any other tool, without `defer_loading` and `tool_reference`.',
  },
  HAFT_POWERSHELL: {
    default: false,
    defaultFrom: { platform: 'win32' },
    adds: ['PowerShell'],
    description: 'Offers PowerShell as a tool: on by default on Windows, off elsewhere.',
  },
} as const satisfies Record<string, VariableFlag>

/** Variables of Claude Code that have no effect here, with what to use instead. A warning names those that are set. */
export const UNREAD_VARIABLES: Readonly<Record<string, string>> = {
  ENABLE_TOOL_SEARCH: 'Set HAFT_TOOL_SEARCH, with the same values.',
  MAX_THINKING_TOKENS: 'Use --max-thinking-tokens.',
  BASH_DEFAULT_TIMEOUT_MS: 'The model sets the timeout of each command; name a longer one in AGENTS.md.',
  BASH_MAX_TIMEOUT_MS: 'The limit is fixed; longer commands continue in the background.',
  CLAUDE_CODE_USE_POWERSHELL_TOOL: 'Set HAFT_POWERSHELL.',
  CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: 'Set HAFT_DISABLE_EXPERIMENTAL_BETAS.',
}

/** Gate 3: flags that can change at run time, read each time a pool is assembled. */
export const RUNTIME_FLAGS = {
  HAFT_TASK_LIST_V2: {
    default: true,
    adds: ['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'],
    replaces: ['TodoWrite'],
    description: 'A task list shared by agents replaces TodoWrite.',
  },
  HAFT_WORKTREE_MODE: {
    default: true,
    adds: ['EnterWorktree', 'ExitWorktree'],
    description: 'Tools for working in isolated git worktrees.',
  },
  HAFT_AGENT_TEAMS: {
    default: true,
    adds: ['TeamCreate', 'TeamDelete', 'SendMessage'],
    description: 'Teams of named agents that work in parallel.',
  },
  HAFT_TOOL_SEARCH: {
    default: true,
    adds: ['ToolSearch'],
    read: readToolSearch,
    acceptedValues: 'true, false, auto or auto:N',
    description:
      'Defers tools, which are then found by search. `auto:N`: only if they take more than N percent of the context window. `false` or `auto:100`: never.',
  },
  ...(feature('COORDINATOR_MODE') && {
    HAFT_COORDINATOR_MODE: {
      default: false,
      adds: ['SendMessage'],
      description: 'Coordinator mode: the main agent only plans, delegates and reads results.',
    },
  }),
} as const satisfies Record<string, VariableFlag>

function readToolSearch(value: string): boolean | undefined {
  const mode = parseToolSearchMode(value)
  return mode === undefined ? undefined : mode.type !== 'standard'
}

/** The name of a flag of gate 2. */
export type EnvironmentFlag = keyof typeof ENVIRONMENT_FLAGS
/** The name of a flag of gate 3. */
export type RuntimeFlag = keyof typeof RUNTIME_FLAGS | 'HAFT_COORDINATOR_MODE'

/** Which flags are on. A host can implement run-time flags as getters. */
export type Environment = Readonly<Record<EnvironmentFlag | RuntimeFlag, boolean>>

/** When tool definitions are deferred: always, only if they are large, or never. */
export type ToolSearchMode =
  | { readonly type: 'tst' }
  /** Only if they take more than this percentage of the context window. */
  | { readonly type: 'tst-auto'; readonly percent: number }
  | { readonly type: 'standard' }

/** The mode if `HAFT_TOOL_SEARCH` is not set. */
export const DEFAULT_TOOL_SEARCH_MODE: ToolSearchMode = { type: 'tst' }

/** The percentage of `auto` without a number. */
const DEFAULT_AUTO_PERCENT = 10

/** Parses `HAFT_TOOL_SEARCH`. Returns undefined for an invalid value; clamps the percentage to 0 to 100. */
export function parseToolSearchMode(value: string): ToolSearchMode | undefined {
  const word = value.trim().toLowerCase()
  if (word === 'true') return DEFAULT_TOOL_SEARCH_MODE
  if (word === 'false') return { type: 'standard' }
  const match = /^auto(?::([+-]?\d+))?$/.exec(word)
  if (match === null) return undefined
  const percent = Math.min(100, Math.max(0, Number(match[1] ?? DEFAULT_AUTO_PERCENT)))
  if (percent === 0) return DEFAULT_TOOL_SEARCH_MODE
  return percent === 100 ? { type: 'standard' } : { type: 'tst-auto', percent }
}

const YES_VALUES = new Set(['1', 'true', 'yes', 'on'])
const NO_VALUES = new Set(['0', 'false', 'no', 'off'])

/** Parses the value of a boolean variable. Returns undefined if the value is not one of the usual words for yes and no. */
export function parseSwitch(value: string): boolean | undefined {
  const word = value.trim().toLowerCase()
  if (YES_VALUES.has(word)) return true
  return NO_VALUES.has(word) ? false : undefined
}
