import type { AttachmentMessage, Message } from '../../contract/messages.js'
import { isRecord } from '../../shared/is-record.js'
import type { InstructionFile } from './load-instructions.js'

const KIND = 'instructions'

/** Returns an attachment with the instruction files. Undefined if there are none or the conversation already has it. */
export function announceInstructions(
  messages: readonly Message[],
  files: readonly InstructionFile[],
): AttachmentMessage | undefined {
  if (files.length === 0 || messages.some(isInstructions)) return undefined
  return { type: 'attachment', kind: KIND, data: { files } }
}

function isInstructions(message: Message): boolean {
  return message.type === 'attachment' && message.kind === KIND
}

/** Renders the data of an attachment for the model. Undefined if it contains no valid file. */
export function instructionsText(data: unknown): string | undefined {
  const files = isRecord(data) && Array.isArray(data.files) ? data.files.filter(isFile) : []
  if (files.length === 0) return undefined
  const parts = files.map(({ path, text }) => `Contents of ${path}:\n\n${text}`)
  return ['Instructions of the user and of the project. Follow them where they apply.', ...parts].join('\n\n')
}

function isFile(value: unknown): value is InstructionFile {
  return isRecord(value) && typeof value.path === 'string' && typeof value.text === 'string'
}
