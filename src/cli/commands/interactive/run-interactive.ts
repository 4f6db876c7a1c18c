import { statSync } from 'node:fs'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { PromptScreen } from '../../../terminal/app/prompt-screen.js'
import type { CommandIo } from '../../io/command.js'
import { UsageError } from '../../io/exit.js'
import { type AgentOptions, readAgentOptions } from '../../options/agent-options.js'
import { PromptHistory } from './prompt-history.js'

/**
 * Loading the session blocks for a moment. It begins this long after the prompt was written, so that the terminal shows the
 * prompt, and a key that is typed as soon as it appears is echoed first.
 */
const LOADING_DELAY_MS = 12

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i

/** Runs `haft` in a terminal. The prompt is drawn first, so that the user can type while the session is loaded. */
export async function runInteractive(io: CommandIo): Promise<number> {
  const options = readAgentOptions(io.args)
  rejectPrintOptions(options)
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
    return IMAGE_NAME.test(path) && statSync(path).isFile()
  } catch {
    // There is no such file, or its folder cannot be read: the pasted text stays text.
    return false
  }
}

/** Loads the program in parts, so that keys are handled in between. */
async function loadSessionInParts(): Promise<void> {
  await setTimeout(LOADING_DELAY_MS)
  keepHeapSmall()
  await import('../../../views/render-view.js')
  await setImmediate()
  await import('../../agent-session/open-agent-session.js')
  await setImmediate()
}

/**
 * Limits the memory of V8. By default it lets the young generation grow to 32 MB and the heap to several times the live data
 * before it collects garbage. A session mostly waits for users and models: with these limits, 900 calls and 6,000 lines take
 * the same CPU time, and 101 MB instead of 145 MB.
 */
function keepHeapSmall(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1 --heap-growing-percent=60')
}

function isScreenReader({ isScreenReader: isRequested }: AgentOptions, { variables }: CommandIo): boolean {
  return isRequested || (variables.HAFT_SCREEN_READER ?? '') !== ''
}

/** Rejects options that only have an effect with `-p`. */
function rejectPrintOptions({ output, input, jsonSchema, permissionPromptTool }: AgentOptions): void {
  if (output !== 'text' || input !== 'text' || jsonSchema !== undefined || permissionPromptTool !== undefined)
    throw new UsageError('output formats, --json-schema and --permission-prompt-tool need -p: haft -p "…".')
}
