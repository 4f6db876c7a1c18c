/** With these a coordinator has others work in simple mode. */
export const DELEGATION_TOOLS: readonly string[] = ['Agent', 'TaskStop', 'SendMessage']

/** All that a coordinator has: it plans, delegates and reads results, and leaves the work to its agents. */
export const COORDINATOR_TOOLS: ReadonlySet<string> = new Set([
  ...DELEGATION_TOOLS,
  'AskUserQuestion',
  'Brief',
  'EnterPlanMode',
  'ExitPlanMode',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskUpdate',
  'TeamCreate',
  'TeamDelete',
  'TodoWrite',
  'ToolSearch',
])
