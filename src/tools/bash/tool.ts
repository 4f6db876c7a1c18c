import type { CommandAnalysis } from '../../contract/command.js'
import { BASH_MAX_RESULT_SIZE_CHARS } from '../../contract/limits.js'
import type { ToolResources } from '../../contract/resources.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { ToolContext } from '../../contract/tool/tool.js'
import { quietGitEnvironment } from '../../shell/git/quiet-git-environment.js'
import { matchesCommandRule } from '../../shell/patterns/match-command.js'
import { plainWords } from '../../shell/words/plain-words.js'
import { askToLeaveSandbox, checkCommandInput, runsConfined } from '../commands/check-command.js'
import { type CommandInput, commandInput } from '../commands/command-input.js'
import { commandOutput, commandResult, commandViews } from '../commands/command-output.js'
import type { CommandProgress } from '../commands/command-progress.js'
import { commandResources } from '../commands/command-resources.js'
import { runCommand } from '../commands/run-command.js'
import { TASK_LIST } from '../tasks/task-resources.js'
import { bashExitMeaning } from './bash-exit-meaning.js'
import { prompt } from './prompt.js'
import { parseSedEdit } from './sed-edit.js'
import { previewSedEdit, writeSedEdit } from './sed-preview.js'

const TOOL_NAME = 'Bash'

export const BashTool = buildTool({
  name: TOOL_NAME,
  searchHint: 'execute shell commands',
  needs: ['shell'],
  runsOnlyItsCommand: true,
  maxResultSizeChars: BASH_MAX_RESULT_SIZE_CHARS,
  modes: { simple: true, repl: 'hidden' },
  description: ({ description }) => description ?? 'Runs a command',
  prompt,

  inputSchema: lazySchema(commandInput),
  outputSchema: lazySchema(commandOutput),

  command: ({ command }) => ({ text: command, language: 'bash' }),
  isReadOnly: (_input, command?: CommandAnalysis) => command?.isReadOnly === true,
  isConcurrencySafe: (_input, command?: CommandAnalysis) => command?.isConcurrencySafe === true,
  isDestructive: (_input, command?: CommandAnalysis) => command?.isReadOnly !== true,
  isOpenWorld: (_input, command?: CommandAnalysis) => command?.resources.network !== false,
  interruptBehavior: () => 'cancel',
  resources: ({ run_in_background }, command?: CommandAnalysis) =>
    withTaskList(commandResources(command), run_in_background === true),
  preparePermissionMatcher: (_input, command?: CommandAnalysis) => (content) => matchesCommandRule(content, command),
  validateInput: checkCommandInput,
  async checkPermissions(input, context) {
    if (input.dangerouslyDisableSandbox === true) return askToLeaveSandbox(context)
    const isConfined = await runsConfined(context)
    if (input.run_in_background === true) return { behavior: 'passthrough', isConfined }
    const preview = await previewIfPossible(() => previewSedEdit(context))
    return { behavior: 'passthrough', isConfined, ...(preview !== undefined && { preview }) }
  },
  toAutoClassifierInput: ({ command }) => command,

  async call(input, context, _canUseTool, _parent, onProgress?: (progress: CommandProgress) => void) {
    const editResult = await writeSedEdit(input.command, context)
    if (editResult !== undefined) return editResult
    const command = await analysisOf(input.command, context)
    const isAllowedByRule = context.toolAllowedByRule === TOOL_NAME && isPlainProgramCall(command)
    return runCommand(
      input,
      context,
      {
        shell: 'bash',
        command,
        ...(command.fitsReadOnlySandbox && { confinement: 'read-only' as const, environment: quietGitEnvironment }),
        isAllowedByRule,
        exitMeaning: (exitCode, output) => bashExitMeaning(command.exitStatusOf, exitCode, output),
      },
      onProgress,
    )
  },

  mapToolResultToToolResultBlockParam: commandResult,

  ...commandViews,
  getToolUseSummary: summaryOf,
})

/**
 * The analysis from the context, or a new one. A host that calls this tool directly may pass no analysis, or that of another
 * command; the sandbox must not depend on it.
 */
async function analysisOf(
  text: string,
  { command, cwd }: Pick<ToolContext, 'command' | 'cwd'>,
): Promise<CommandAnalysis> {
  if (command?.text === text && command.cwd === cwd) return command
  const { analyseCommand } = await import('../../shell/analyse-command.js')
  return analyseCommand(text, { cwd })
}

/**
 * Whether the command is one program with plain words, so that a rule for it matched without any shell parsing, and no
 * repository decides what it does.
 */
function isPlainProgramCall({ commands, repositories, plainWords: words }: CommandAnalysis): boolean {
  if (words?.[0]?.includes('=') !== false || commands.length !== 1 || repositories.length > 0) return false
  const isSame = (written: readonly { readonly text: string }[]) =>
    written.length === words.length && written.every(({ text }, index) => text === words[index])
  return commands[0]?.asWritten.some((written) => isSame(written.words)) === true
}

function withTaskList(resources: ToolResources, startsTask: boolean): ToolResources {
  return startsTask ? { ...resources, writes: [...(resources.writes ?? []), TASK_LIST] } : resources
}

/** An edit that cannot be previewed is checked and run like any other command. */
async function previewIfPossible(preview: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await preview()
  } catch {
    return undefined
  }
}

/** The summary of a command; a sed edit is shown as an edit. */
function summaryOf(input: Partial<CommandInput> | undefined): string | null {
  const command: unknown = input?.command
  const edit = typeof command === 'string' ? parseSedEdit(plainWords(command)) : undefined
  return edit === undefined ? commandViews.getToolUseSummary(input) : `edit ${edit.file}`
}
