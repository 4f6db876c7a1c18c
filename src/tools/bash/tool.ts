import { buildTool } from '../../contract/build-tool.js'
import { lazySchema } from '../../contract/lazy-schema.js'
import { BASH_MAX_RESULT_SIZE_CHARS } from '../../contract/limits.js'
import type { ToolContext, ToolResources } from '../../contract/tool.js'
import { quietGitEnvironment } from '../../shell/git/quiet-git-environment.js'
import { checkCommandInput } from '../check-command-input.js'
import { commandFacts } from '../command-facts.js'
import { commandInput } from '../command-input.js'
import { commandOutput, commandResult } from '../command-output.js'
import type { CommandProgress } from '../command-progress.js'
import { commandViews } from '../command-views.js'
import { runCommand } from '../run-command.js'
import { askToLeaveSandbox } from '../sandbox-question.js'
import { TASK_LIST } from '../unknown-task.js'
import { bashExitMeaning } from './bash-exit-meaning.js'
import { plainWords } from './plain-words.js'
import { prompt } from './prompt.js'
import { previewSedEdit, writeSedEdit } from './sed-preview.js'
import { summaryOf } from './summary-of.js'

export const BashTool = buildTool({
  name: 'Bash',
  searchHint: 'execute shell commands',
  needs: ['shell'],
  doesOnlyItsCommand: true,
  maxResultSizeChars: BASH_MAX_RESULT_SIZE_CHARS,
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
    const preview = await shownEdit(() => previewSedEdit(input.command, context))
    return { behavior: 'passthrough', ...(preview !== undefined && { preview }) }
  },
  toAutoClassifierInput: ({ command }) => command,
  ...commandViews,
  getToolUseSummary: summaryOf,

  async call(input, context, _canUseTool, _parent, onProgress?: (progress: CommandProgress) => void) {
    const edited = await writeSedEdit(input.command, context)
    if (edited !== undefined) return edited
    const { isReadOnly, isWaiting, looksAtMachine } = commandFacts(input.command, context.cwd)
    const isHeld = isReadOnly && !isUnderRule(input.command, context)
    return runCommand(
      input,
      context,
      {
        shell: 'bash',
        ...(isReadOnly && { environment: quietGitEnvironment }),
        ...(isHeld && { confinement: 'read-only' as const }),
        mayGoOn: !isWaiting,
        looksAtMachine,
        exitMeaning: (exitCode, output) => bashExitMeaning(input.command, exitCode, output),
      },
      onProgress,
    )
  },

  mapToolResultToToolResultBlockParam: commandResult,
})

/**
 * The user has allowed this program whatever it does, so that it does not run for seeming to read only, and runs as the
 * settings say. Where the text is more than words, the rule rests on what Haft made of it, and a second line is kept.
 */
function isUnderRule(command: string, { isAllowedByRule }: Pick<ToolContext, 'isAllowedByRule'>): boolean {
  return isAllowedByRule === true && plainWords(command)?.[0]?.includes('=') === false
}

function withTask(resources: ToolResources, startsTask: boolean): ToolResources {
  return startsTask ? { ...resources, writes: [...(resources.writes ?? []), TASK_LIST] } : resources
}

/** An edit that cannot be shown is judged and run like any other command. */
async function shownEdit(preview: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await preview()
  } catch {
    return undefined
  }
}
