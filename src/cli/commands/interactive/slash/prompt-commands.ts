import { loadCommands } from '../../../../session/commands/load-commands.js'
import type { SlashCommand } from '../../../../terminal/slash/slash-commands.js'
import { listPromptCommands } from '../../../agent-session/prompt-commands.js'
import { warn } from '../../../io/warn.js'
import type { SlashHost } from './session-commands.js'

/** Command files, skills and prompts of MCP servers as slash commands. */
export async function createPromptCommands({ io, host, opened }: SlashHost): Promise<readonly SlashCommand[]> {
  const { projectRoot, isTrusted } = opened.toolSession.settings
  const commands = await loadCommands({
    ...{ projectRoot, home: host.homeDir, isTrusted },
    onProblem: (problem) => warn(io, problem),
  })
  const { skills } = opened.projectContext
  return listPromptCommands({ commands, skills, servers: opened.servers }).map(
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
