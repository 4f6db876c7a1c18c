import type { CommandHost, CommandIo } from '../io/command.js'
import type { OpenedSession } from './opened-session.js'
import type { PromptCommand } from './prompt-commands.js'

/** Expands `/name arguments`: a command file, a skill or a prompt of an MCP server. Loads the code only for such a prompt. */
export async function expandCommand(
  text: string,
  session: OpenedSession,
  io: CommandIo,
  host: CommandHost,
): Promise<string | undefined> {
  if (!text.startsWith('/')) return undefined
  const { expandPrompt } = await import('./prompt-commands.js')
  return expandPrompt(text, await loadCommands(session, io, host), host.interruption().signal)
}

/** Loads the slash commands that expand to prompts. */
export async function loadCommands(
  session: OpenedSession,
  io: CommandIo,
  host: CommandHost,
): Promise<readonly PromptCommand[]> {
  const { loadPromptCommands } = await import('./prompt-commands.js')
  return loadPromptCommands(session, io, host)
}
