export const HOOK_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'InstructionsLoaded',
  'Setup',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'TeammateIdle',
  'PreCompact',
  'PostCompact',
  'Notification',
  'TaskCreated',
  'TaskCompleted',
  'ConfigChange',
  'CwdChanged',
  'FileChanged',
  'Elicitation',
  'ElicitationResult',
  'DirectoryAdded',
  'WorktreeCreate',
  'WorktreeRemove',
  'PreModelSwitch',
  'PostModelSwitch',
] as const

export type HookEvent = (typeof HOOK_EVENTS)[number]

const EVENT_NAMES: ReadonlySet<string> = new Set(HOOK_EVENTS)

export function isHookEvent(name: string): name is HookEvent {
  return EVENT_NAMES.has(name)
}

/** Events whose hooks decide whether a call may run. */
const PERMISSION_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>(['PreToolUse', 'PermissionRequest'])

export function decidesPermission(event: HookEvent): boolean {
  return PERMISSION_EVENTS.has(event)
}

/** Events for which plain text on stdout is passed to the model. */
const TEXT_CONTEXT_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'UserPromptSubmit',
  'UserPromptExpansion',
  'Setup',
  'SessionStart',
])

export function takesTextAsContext(event: HookEvent): boolean {
  return TEXT_CONTEXT_EVENTS.has(event)
}

/** Events whose hooks can answer a question of an MCP server. */
const ELICITATION_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>(['Elicitation', 'ElicitationResult'])

export function answersElicitation(event: HookEvent): boolean {
  return ELICITATION_EVENTS.has(event)
}
