import type { ToolEvent } from '../contract/events.js'
import type { AssistantMessage, Message } from '../contract/messages.js'
import type { QuestionLock } from './asking/question-lock.js'
import type { ExecutionHost } from './call-environment.js'
import type { ChangeableContext } from './context-chain.js'
import type { NamePlace } from './schedule/claims.js'
import type { SchedulingRule } from './schedule/stated-resources.js'

/** What the calls of one message are run with. */
export interface CallRunOptions {
  readonly host: Omit<ExecutionHost, 'emit'>
  readonly rule: SchedulingRule
  readonly cwd: string
  readonly identify?: NamePlace['identify']
  readonly hardLinkName?: NamePlace['hardLinkName']
  readonly messages?: readonly Message[]
  readonly parentMessage?: AssistantMessage
  readonly maxConcurrency?: number
  readonly signal?: AbortSignal
  /** Shared with other messages and agents that ask the same person. */
  readonly questions?: QuestionLock
  readonly onEvent?: (event: ToolEvent) => void
  /** Told why the conversation is to end: a hook of a call said so. */
  readonly onStop?: (reason: string) => void
  /** Told once, when every call has ended and no further comes. */
  readonly onEnd?: () => void
  /** Keeps a changed context, such as another working folder, for the next message. */
  readonly onContext?: (context: ChangeableContext) => void
}
