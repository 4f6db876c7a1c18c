import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
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
    editor: { history: history.read(), isImage: isImageFile },
  })
  prompt.onPrompt = (text) => history.add(text)
  try {
    prompt.draw()
    prompt.screen.flush()
    await loadSessionInParts()
    const { runSession } = await import('./run-session.js')
    return await runSession(prompt, io, options, history)
  } finally {
    prompt.screen.close()
  }
}

function isImageFile(path: string): boolean {
  try {
    return IMAGE.test(path) && statSync(path).isFile()
  } catch {
    // There is no such file, or its folder cannot be read: the pasted text stays text.
    return false
  }
}

/** Between the parts of the program, keys are answered that were typed meanwhile. */
async function loadSessionInParts(): Promise<void> {
  await setImmediate()
  keepHeapSmall()
  await import('../../../views/render-view.js')
  await setImmediate()
  await import('../../agent-session/open-agent-session.js')
  await setImmediate()
}

/**
 * V8 lets the space for new objects grow to 32 MB, and garbage pile up to several times the live data, before it cleans up. A
 * session that waits for people and models most of the time need not: 900 calls and 6,000 lines take the same CPU time with
 * these limits, and 101 MB instead of 145.
 */
function keepHeapSmall(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1 --heap-growing-percent=60')
}

function isScreenReader({ isScreenReader: isRequested }: AgentOptions, { variables }: CommandIo): boolean {
  return isRequested || (variables.HAFT_SCREEN_READER ?? '') !== ''
}

/** Options that only make sense with `-p` are refused, rather than ignored. */
function refusePrintOptions({ output, input, jsonSchema, permissionPromptTool }: AgentOptions): void {
  if (output !== 'text' || input !== 'text' || jsonSchema !== undefined || permissionPromptTool !== undefined)
    throw new UsageError('output formats, --json-schema and --permission-prompt-tool need -p: haft -p "…".')
}
