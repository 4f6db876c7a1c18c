import type { SlashCommand } from '../../../../terminal/slash/slash-commands.js'
import { loadPromptCommands } from '../../../agent-session/prompt-commands.js'
import type { SlashHost } from './session-commands.js'

/** Creates slash commands for command files, skills and prompts of MCP servers. */
export async function createPromptCommands({ io, host, openedSession }: SlashHost): Promise<readonly SlashCommand[]> {
  return (await loadPromptCommands(openedSession, io, host)).map(
    ({ name, description, argumentHint, source, expand }) => ({
      ...{ name, summary: description, source },
      ...(argumentHint !== undefined && { argumentHint }),
      async run(args, _, { text, attachments }) {
        const prompt = await expand(args, host.interruption().signal)
        return { prompt: { text: prompt, attachments, shownText: text } }
      },
    }),
  )
}
