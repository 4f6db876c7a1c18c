import { existsSync } from 'node:fs'
import { PromptScreen } from '../../../terminal/app/prompt-screen.js'
import type { CommandIo } from '../../io/command.js'
import { UsageError } from '../../io/exit.js'
import { type AgentOptions, readAgentOptions } from '../../options/agent-options.js'
import { PromptHistory } from './prompt-history.js'

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i

/** `haft` on a terminal. The prompt is drawn first; everything else is loaded while the user can already type. */
export async function runInteractive(io: CommandIo): Promise<number> {
  const options = readAgentOptions(io.args)
  refusePrintOptions(options)
  const history = new PromptHistory(io.homeDir ?? '/', process.cwd())
  const prompt = new PromptScreen({
    input: process.stdin,
    output: process.stdout,
    variables: io.variables,
    isScreenReader: isScreenReader(options, io),
    editor: { history: history.read(), isImage: (path) => IMAGE.test(path) && existsSync(path) },
  })
  prompt.onPrompt = (text) => history.add(text)
  try {
    prompt.draw()
    prompt.screen.flush()
    const { runSession } = await import('./run-session.js')
    return await runSession(prompt, io, options)
  } finally {
    prompt.screen.close()
  }
}

function isScreenReader({ isScreenReader: isRequested }: AgentOptions, { variables }: CommandIo): boolean {
  return isRequested || (variables.HAFT_SCREEN_READER ?? '') !== ''
}

/** Options that only make sense with `-p` are refused, rather than ignored. */
function refusePrintOptions({ output, input, jsonSchema, permissionPromptTool }: AgentOptions): void {
  if (output !== 'text' || input !== 'text' || jsonSchema !== undefined || permissionPromptTool !== undefined)
    throw new UsageError('output formats, --json-schema and --permission-prompt-tool need -p: haft -p "…".')
}
