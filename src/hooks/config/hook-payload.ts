import type { PermissionMode } from '../../contract/permission/context.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { HookEvent } from './hook-events.js'

/** The state of the session at the time of the event. */
export interface HookSession {
  readonly session_id: string
  readonly transcript_path: string
  readonly cwd: string
  readonly permission_mode: PermissionMode
}

interface ToolEventFields {
  readonly tool_name: string
  readonly tool_input: unknown
  readonly tool_use_id: string
  /** The call whose tool made this call; not set for calls of the model. */
  readonly parent_tool_use_id?: string
}

interface WorktreeEventFields {
  readonly name: string
  readonly worktree_path: string
  readonly branch: string
}

interface ElicitationFields {
  readonly mcp_server_name: string
  readonly message: string
  readonly mode: 'form' | 'url'
  readonly url?: string
  readonly requested_schema?: Readonly<Record<string, unknown>>
}

interface ElicitationResultFields {
  readonly mcp_server_name: string
  readonly mode: 'form' | 'url'
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, unknown>>
}

/** The fields of the events that several places run. Other events may have any fields. */
interface HookEventFields {
  readonly PreToolUse: ToolEventFields
  readonly PostToolUse: ToolEventFields & { readonly tool_response: unknown }
  readonly PostToolUseFailure: ToolEventFields & { readonly tool_response?: unknown; readonly error?: string }
  readonly PermissionRequest: ToolEventFields
  readonly PermissionDenied: ToolEventFields & { readonly reason?: string }
  readonly Setup: { readonly trigger: 'init' | 'maintenance' }
  readonly FileChanged: { readonly file_path: string; readonly event: 'change' | 'add' | 'unlink' }
  readonly Elicitation: ElicitationFields
  readonly ElicitationResult: ElicitationResultFields
  readonly WorktreeCreate: WorktreeEventFields
  readonly WorktreeRemove: WorktreeEventFields
}

export type HookFields<E extends HookEvent> = E extends keyof HookEventFields
  ? HookEventFields[E]
  : Readonly<Record<string, unknown>>

/** The JSON object that a hook receives. */
export type HookPayload = HookSession & { readonly hook_event_name: HookEvent } & Readonly<Record<string, unknown>>

export function buildPayload(event: HookEvent, session: HookSession, fields: object): HookPayload {
  const sessionFields = {
    session_id: session.session_id,
    transcript_path: session.transcript_path,
    cwd: session.cwd,
    permission_mode: session.permission_mode,
    hook_event_name: event,
  }
  // The session fields are set last, so that fields of the event cannot forge them.
  return { ...sessionFields, ...fields, ...sessionFields }
}

/** Serialises the payload. Values that JSON cannot represent are replaced by a note, so that the hook still runs. */
export function serialisePayload(payload: HookPayload): string {
  try {
    return JSON.stringify(payload)
  } catch {
    // Some values cannot be serialised; the others can still be sent.
    const parts = Object.entries(payload).map(([name, value]) => [name, toSerialisable(value)])
    return JSON.stringify(Object.fromEntries(parts))
  }
}

function toSerialisable(value: unknown): unknown {
  try {
    JSON.stringify(value)
    return value
  } catch (error) {
    return { unserialisable: reasonOf(error) }
  }
}

/** The field that matchers are compared with. If an event has no such field, every matcher matches it. */
const SUBJECT_FIELDS: Readonly<Record<HookEvent, string | undefined>> = {
  PreToolUse: 'tool_name',
  PostToolUse: 'tool_name',
  PostToolUseFailure: 'tool_name',
  PostToolBatch: undefined,
  PermissionRequest: 'tool_name',
  PermissionDenied: 'tool_name',
  UserPromptSubmit: undefined,
  UserPromptExpansion: 'command_name',
  InstructionsLoaded: 'load_reason',
  Setup: 'trigger',
  SessionStart: 'source',
  SessionEnd: 'reason',
  Stop: undefined,
  StopFailure: 'error_type',
  SubagentStart: 'agent_type',
  SubagentStop: 'agent_type',
  TeammateIdle: 'teammate_name',
  PreCompact: 'trigger',
  PostCompact: 'trigger',
  Notification: 'notification_type',
  TaskCreated: undefined,
  TaskCompleted: undefined,
  ConfigChange: 'source',
  CwdChanged: undefined,
  FileChanged: 'file_path',
  Elicitation: 'mcp_server_name',
  ElicitationResult: 'mcp_server_name',
  DirectoryAdded: undefined,
  WorktreeCreate: 'name',
  WorktreeRemove: 'name',
  PreModelSwitch: 'to_model',
  PostModelSwitch: 'to_model',
}

/** Returns the value that matchers are compared with; undefined if the event has none, so that every matcher matches. */
export function getSubject(event: HookEvent, fields: object): string | undefined {
  const field = SUBJECT_FIELDS[event]
  const value = field === undefined ? undefined : (fields as Readonly<Record<string, unknown>>)[field]
  return typeof value === 'string' ? value : undefined
}
