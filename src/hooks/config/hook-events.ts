/** All hook events, in the order of a session. */
export const HOOK_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Notification',
  'TaskCreated',
  'TaskCompleted',
  'ConfigChange',
  'CwdChanged',
] as const

export type HookEvent = (typeof HOOK_EVENTS)[number]

const NAMES: ReadonlySet<string> = new Set(HOOK_EVENTS)

export function isHookEvent(name: string): name is HookEvent {
  return NAMES.has(name)
}

/** Events whose answer decides whether a call may run. */
const DECIDING: ReadonlySet<HookEvent> = new Set<HookEvent>(['PreToolUse', 'PermissionRequest'])

export function decidesPermission(event: HookEvent): boolean {
  return DECIDING.has(event)
}

/** Events for which plain text on stdout is passed to the model. */
const TAKING_TEXT: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'SessionStart'])

export function takesTextAsContext(event: HookEvent): boolean {
  return TAKING_TEXT.has(event)
}
