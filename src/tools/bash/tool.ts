import { BASH_MAX_RESULT_SIZE_CHARS } from '../../contract/limits.js'
import type { ToolResources } from '../../contract/resources.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { quietGitEnvironment } from '../../shell/git/quiet-git-environment.js'
import { askToLeaveSandbox, checkCommandInput } from '../commands/check-command.js'
import { type CommandFacts, commandFacts } from '../commands/command-facts.js'
import { type CommandInput, commandInput } from '../commands/command-input.js'
import { commandOutput, commandResult, commandViews } from '../commands/command-output.js'
import type { CommandProgress } from '../commands/command-progress.js'
import { runCommand } from '../commands/run-command.js'
import { TASK_LIST } from '../tasks/task-resources.js'
import { bashExitMeaning } from './bash-exit-meaning.js'
import { plainWords } from './plain-words.js'
import { prompt } from './prompt.js'
import { parseSedEdit } from './sed-edit.js'
import { previewSedEdit, writeSedEdit } from './sed-preview.js'

const NAME = 'Bash'

export const BashTool = buildTool({
  name: NAME,
  searchHint: 'execute shell commands',
  needs: ['shell'],
  runsOnlyItsCommand: true,
  maxResultSizeChars: BASH_MAX_RESULT_SIZE_CHARS,
  modes: { simple: true, repl: 'hidden' },
  description: ({ description }) => description ?? 'Runs a command',
  prompt,

  inputSchema: lazySchema(commandInput),
  outputSchema: lazySchema(commandOutput),

  isReadOnly: ({ command }) => commandFacts(command).isReadOnly,
  isConcurrencySafe: ({ command }) => commandFacts(command).isConcurrencySafe,
  isDestructive: ({ command }) => !commandFacts(command).isReadOnly,
  isOpenWorld: ({ command }) => commandFacts(command).resources.network === true,
  interruptBehavior: () => 'cancel',
  resources: ({ command, run_in_background }) => withTask(commandFacts(command).resources, run_in_background === true),
  preparePermissionMatcher: ({ command }) => commandFacts(command).matches,
  validateInput: checkCommandInput,
  async checkPermissions(input, context) {
    if (input.dangerouslyDisableSandbox === true)
      return askToLeaveSandbox(context, commandFacts(input.command, context.cwd))
    if (input.run_in_background === true) return { behavior: 'passthrough' }
    const preview = await previewIfPossible(() => previewSedEdit(input.command, context))
    return { behavior: 'passthrough', ...(preview !== undefined && { preview }) }
  },
  toAutoClassifierInput: ({ command }) => command,

  async call(input, context, _canUseTool, _parent, onProgress?: (progress: CommandProgress) => void) {
    const edited = await writeSedEdit(input.command, context)
    if (edited !== undefined) return edited
    const facts = commandFacts(input.command, context.cwd)
    const { isReadOnly, isWaiting, inspectsMachine } = facts
    const isAllowedByRule = context.toolAllowedByRule === NAME && isPlainProgramCall(input.command, facts)
    return runCommand(
      input,
      context,
      {
        shell: 'bash',
        ...(isReadOnly && { confinement: 'read-only' as const, environment: quietGitEnvironment }),
        isAllowedByRule,
        mayContinue: !isWaiting,
        inspectsMachine,
        exitMeaning: (exitCode, output) => bashExitMeaning(input.command, exitCode, output),
      },
      onProgress,
    )
  },

  mapToolResultToToolResultBlockParam: commandResult,

  ...commandViews,
  getToolUseSummary: summaryOf,
})

/** Whether the line is one program with plain words, so that a rule for it matched without any shell parsing. */
function isPlainProgramCall(command: string, { onlyCommand }: CommandFacts): boolean {
  const words = plainWords(command)
  return words?.[0]?.includes('=') === false && onlyCommand.includes(words.join(' '))
}

function withTask(resources: ToolResources, startsTask: boolean): ToolResources {
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
  const edit = typeof command === 'string' ? parseSedEdit(command) : undefined
  return edit === undefined ? commandViews.getToolUseSummary(input) : `edit ${edit.file}`
}
