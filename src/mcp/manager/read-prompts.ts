import { isRecord } from '../../shared/is-record.js'
import { cutText, plainLine, plainText } from '../tools/plain-line.js'
import { MAX_DESCRIPTION_CHARS } from '../tools/read-definition.js'

export interface McpPrompt {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
}

const MAX_NAME_CHARS = 256

/** Prompts as their server lists them; an entry without a name is left out. */
export function readPrompts(server: string, entries: readonly unknown[]): readonly McpPrompt[] {
  return entries.filter(isNamed).map((entry) => ({
    server,
    name: entry.name,
    description: describe(entry.description ?? entry.title),
    arguments: (Array.isArray(entry.arguments) ? entry.arguments : []).filter(isNamed).map((argument) => ({
      name: argument.name,
      description: describe(argument.description),
      required: argument.required === true,
    })),
  }))
}

function isNamed(entry: unknown): entry is Record<string, unknown> & { readonly name: string } {
  if (!isRecord(entry) || typeof entry.name !== 'string' || entry.name === '') return false
  return plainLine(entry.name, MAX_NAME_CHARS) === entry.name
}

function describe(text: unknown): string {
  return typeof text === 'string' ? cutText(plainText(text), MAX_DESCRIPTION_CHARS) : ''
}
