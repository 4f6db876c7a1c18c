/** Tools that `getTools` leaves out: they are added only where they apply. */
export const SPECIAL_TOOLS: ReadonlySet<string> = new Set(['ListMcpResources', 'ReadMcpResource', 'StructuredOutput'])

export const SIMPLE_TOOLS: ReadonlySet<string> = new Set(['Bash', 'Read', 'Edit'])

export const REPL_TOOL = 'REPL'

/** In REPL mode only the code that REPL runs may call these. */
export const REPL_ONLY_TOOLS: ReadonlySet<string> = new Set([
  'ApplyPatch',
  'Bash',
  'Edit',
  'Glob',
  'Grep',
  'MultiEdit',
  'NotebookEdit',
  'PowerShell',
  'Read',
  'Write',
])
