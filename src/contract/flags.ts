import { type Flag, feature } from './build-flags.js'

/** A flag that an environment variable of the same name sets. */
export interface VariableFlag extends Flag {
  /** Where the flag is on or off by something else unless its variable is set. */
  readonly defaultFrom?: { readonly platform: string } | { readonly flag: string }
  /** Values beside the usual yes and no words; undefined where the value means nothing. */
  readonly read?: (value: string) => boolean | undefined
  /** What can be written, where that is more than 1 or 0. */
  readonly words?: string
}

/** Gate 2: the platform and the environment, asked once. */
export const ENVIRONMENT_FLAGS = {
  HAFT_INTERNAL: {
    default: false,
    adds: ['Config', 'Terminal', ...(feature('PR_TOOLS') ? ['SuggestBackgroundPR'] : [])],
    does: 'Internal build: tools for those who build Haft, and REPL mode unless HAFT_REPL_MODE says otherwise.',
  },
  HAFT_SIMPLE: { default: false, does: 'Simple mode: Bash, Read and Edit only.' },
  HAFT_REPL_MODE: {
    default: false,
    defaultFrom: { flag: 'HAFT_INTERNAL' },
    adds: ['REPL'],
    does: 'REPL mode: primitive tools are reachable only from the code that REPL runs.',
  },
  ENABLE_LSP_TOOL: { default: true, adds: ['LSP'], does: 'Language-server operations as a tool.' },
  HAFT_EMBEDDED_SEARCH: { default: false, removes: ['Glob', 'Grep'], does: 'The shell has fast search built in.' },
  HAFT_DISABLE_EXPERIMENTAL_BETAS: {
    default: false,
    does: 'Tools that were searched for are sent as any other, without `defer_loading` and `tool_reference`.',
  },
  HAFT_POWERSHELL: {
    default: false,
    defaultFrom: { platform: 'win32' },
    adds: ['PowerShell'],
    does: 'PowerShell as a tool: on Windows unless switched off, elsewhere if switched on.',
  },
} as const satisfies Record<string, VariableFlag>

/** Gate 3: what can change while the program runs, asked each time a pool is made. */
export const RUNTIME_FLAGS = {
  HAFT_TASK_LIST_V2: {
    default: true,
    adds: ['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'],
    replaces: ['TodoWrite'],
    does: 'The task list that agents share takes the place of TodoWrite.',
  },
  HAFT_WORKTREE_MODE: {
    default: true,
    adds: ['EnterWorktree', 'ExitWorktree'],
    does: 'Work in isolated git worktrees.',
  },
  HAFT_AGENT_TEAMS: {
    default: true,
    adds: ['TeamCreate', 'TeamDelete', 'SendMessage'],
    does: 'Named agents that work side by side.',
  },
  HAFT_TOOL_SEARCH: {
    default: true,
    adds: ['ToolSearch'],
    read: readToolSearch,
    words: 'true, false, auto or auto:N',
    does: 'Deferred tools are found by search; `auto:N` only if they take more than N percent of the window, `false` or `auto:100` never.',
  },
  ...(feature('COORDINATOR_MODE') && {
    HAFT_COORDINATOR_MODE: {
      default: false,
      adds: ['SendMessage'],
      does: 'The main agent only plans, delegates and reads results.',
    },
  }),
} as const satisfies Record<string, VariableFlag>

function readToolSearch(value: string): boolean | undefined {
  const mode = parseToolSearchMode(value)
  return mode === undefined ? undefined : mode.type !== 'standard'
}

export type EnvironmentFlag = keyof typeof ENVIRONMENT_FLAGS
export type RuntimeFlag = keyof typeof RUNTIME_FLAGS | 'HAFT_COORDINATOR_MODE'

/** Which flags are on. A host whose run-time flags change gives those as getters. */
export type Environment = Readonly<Record<EnvironmentFlag | RuntimeFlag, boolean>>

/** When definitions are deferred: always, only where they are many, or never. */
export type ToolSearchMode =
  | { readonly type: 'tst' }
  /** Only if they take more than this part of the context window. */
  | { readonly type: 'tst-auto'; readonly percent: number }
  | { readonly type: 'standard' }

export const DEFAULT_TOOL_SEARCH_MODE: ToolSearchMode = { type: 'tst' }

/** What is meant where `auto` comes without a number. */
const AUTO_PERCENT = 10

/** What `HAFT_TOOL_SEARCH` says; undefined where it means nothing and counts as unset. A number beyond 0 to 100 is the nearest of them. */
export function parseToolSearchMode(written: string): ToolSearchMode | undefined {
  const word = written.trim().toLowerCase()
  if (word === 'true') return DEFAULT_TOOL_SEARCH_MODE
  if (word === 'false') return { type: 'standard' }
  const auto = /^auto(?::([+-]?\d+))?$/.exec(word)
  if (auto === null) return undefined
  const percent = Math.min(100, Math.max(0, Number(auto[1] ?? AUTO_PERCENT)))
  if (percent === 0) return DEFAULT_TOOL_SEARCH_MODE
  return percent === 100 ? { type: 'standard' } : { type: 'tst-auto', percent }
}

const YES = new Set(['1', 'true', 'yes', 'on'])
const NO = new Set(['0', 'false', 'no', 'off'])

/** The words for on and off that every variable takes; undefined for any other. */
export function readSwitch(written: string): boolean | undefined {
  const word = written.trim().toLowerCase()
  if (YES.has(word)) return true
  return NO.has(word) ? false : undefined
}
