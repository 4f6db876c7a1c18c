import type { AttachmentMessage, Message } from '../contract/messages.js'
import type { Skill } from '../contract/tool/context.js'
import type { SessionRuntime } from './conversation/session-runtime.js'
import { announceInstructions } from './instructions/instructions-text.js'
import type { InstructionFile } from './instructions/load-instructions.js'
import { announceMode } from './messages/announce-mode.js'
import { announceServerInstructions } from './messages/server-instructions.js'
import { announceSkills } from './skills/announce-skills.js'

/** The instructions and skills for `announceContext`. */
export interface AnnouncedContext {
  readonly instructions: readonly InstructionFile[]
  readonly skills: () => readonly Skill[]
}

/** Announces instructions, skills, words of MCP servers and the permission mode to a conversation: each once, then only changes. */
export function announceContext(
  runtime: SessionRuntime,
  { instructions, skills }: AnnouncedContext,
): (messages: readonly Message[]) => readonly AttachmentMessage[] {
  return (messages) => {
    const canLoadSkills = runtime.pool.some(({ loadsSkills }) => loadsSkills === true)
    const announcements = [
      announceInstructions(messages, instructions),
      announceSkills(messages, canLoadSkills ? skills() : []),
      announceServerInstructions(messages, runtime.mcpClients?.() ?? [], runtime.pool),
      // Sub-agents do not submit plans. A denied call tells them that it is not allowed.
      runtime.agentId === undefined
        ? announceMode(
            messages,
            runtime.permissions.mode,
            runtime.pool.some(({ submitsPlan }) => submitsPlan === true),
          )
        : undefined,
    ]
    return announcements.filter((message) => message !== undefined)
  }
}
