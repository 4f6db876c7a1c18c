import type { CommandAnalysis } from '../../contract/command.js'
import type { ToolContext } from '../../contract/tool/tool.js'
import { safeGitEnvironment, safeGitEnvironmentWithoutSandbox } from '../../shell/git/safe-git-environment.js'
import type { RunOptions } from './run-command.js'

/** Decides how a bash command of a tool runs: its sandbox, its variables, and whether a rule of the user names it. */
export async function createBashOptions(
  text: string,
  context: ToolContext<'shell'>,
  toolName: string,
): Promise<RunOptions & { readonly command: CommandAnalysis }> {
  const command = await getAnalysis(text, context)
  const environment = command.fitsReadOnlySandbox ? await findGitEnvironment(command, context) : undefined
  return {
    ...{ shell: 'bash', command },
    ...(environment !== undefined && { confinement: 'read-only' as const, environment }),
    isAllowedByRule: context.toolAllowedByRule === toolName && isPlainProgramCall(command),
  }
}

/** Returns the variables for git. If the shell does not report whether there is a sandbox, none is assumed. */
async function findGitEnvironment(
  { repositories }: CommandAnalysis,
  { shell }: Pick<ToolContext<'shell'>, 'shell'>,
): Promise<Readonly<Record<string, string>>> {
  // Without git the variables have no effect, and probing the sandbox would delay the first command.
  if (repositories.length === 0) return safeGitEnvironment
  try {
    return (await shell.confinement()).isAvailable ? safeGitEnvironment : safeGitEnvironmentWithoutSandbox
  } catch {
    return safeGitEnvironmentWithoutSandbox
  }
}

/**
 * Returns the analysis from the context if it belongs to this command, otherwise a new one. A host that calls the tool
 * directly may pass no analysis or the wrong one, and the sandbox must not depend on that.
 */
async function getAnalysis(
  text: string,
  { command, cwd }: Pick<ToolContext, 'command' | 'cwd'>,
): Promise<CommandAnalysis> {
  if (command?.text === text && command.cwd === cwd) return command
  const { analyseCommand } = await import('../../shell/analyse-command.js')
  return analyseCommand(text, { cwd })
}

/**
 * Whether the command is one program with plain words. Then a rule for it matched without any parsing of shell syntax, and
 * its effect does not depend on a repository.
 */
function isPlainProgramCall({ commands, repositories, plainWords: words }: CommandAnalysis): boolean {
  if (words?.[0]?.includes('=') !== false || commands.length !== 1 || repositories.length > 0) return false
  const isSame = (writtenWords: readonly { readonly text: string }[]) =>
    writtenWords.length === words.length && writtenWords.every(({ text }, index) => text === words[index])
  return commands[0]?.asWritten.some((writtenCommand) => isSame(writtenCommand.words)) === true
}
