import type { AttachmentMessage, Message } from '../contract/messages.js'
import type { Skill } from '../contract/tool/context.js'
import type { SessionRuntime } from './conversation/session-runtime.js'
import { announceInstructions } from './instructions/instructions-text.js'
import type { InstructionFile } from './instructions/load-instructions.js'
import { announceMode } from './messages/announce-mode.js'
import { announceSkills } from './skills/announce-skills.js'

export interface Announced {
  readonly instructions: readonly InstructionFile[]
  readonly skills: () => readonly Skill[]
}

/** What a conversation is told of its surroundings: each thing once, and afterwards what changed. */
export function announceSurroundings(
  runtime: SessionRuntime,
  { instructions, skills }: Announced,
): (messages: readonly Message[]) => readonly AttachmentMessage[] {
  return (messages) => {
    const canLoadSkills = runtime.pool.some(({ loadsSkills }) => loadsSkills === true)
    const news = [
      announceInstructions(messages, instructions),
      announceSkills(messages, canLoadSkills ? skills() : []),
      // A sub-agent has no plan to hand in: what it may not do, it learns by the refusal.
      runtime.agentId === undefined ? announceMode(messages, runtime.permissions.mode) : undefined,
    ]
    return news.filter((message) => message !== undefined)
  }
}
