import { commandOf } from '../../permissions/facts/command-of.js'
import type { ShellAnalysis, ShellRequest } from '../../permissions/facts/shell-analysis.js'
import type { ValidatedCall } from './validate-input.js'

/**
 * Starts the analysis of the call's command, in parallel with the hooks. It is awaited only if a decision needs it, and
 * repeated only if a hook or the user changes the command.
 */
export function startCommandAnalysis({ call, tool, input }: ValidatedCall): void | Promise<void> {
  const command = commandOf(tool, call.observe(input))
  if (command === undefined || command === '') return
  const { shell } = call.environment.decisionPorts
  const request: ShellRequest = { command, cwd: call.cwd, language: tool.commandLanguage }
  const facts = (async () => shell.analyse(request))()
  call.shell = startedAnalysis(shell, request, facts)
  // A failure is handled by the decision that needs the analysis, if any.
  return facts.then(ignore, ignore)
}

function startedAnalysis(
  shell: ShellAnalysis,
  started: ShellRequest,
  facts: ReturnType<ShellAnalysis['analyse']>,
): ShellAnalysis {
  return {
    analyse: (request) => (isSameRequest(request, started) ? facts : shell.analyse(request)),
  }
}

function isSameRequest(a: ShellRequest, b: ShellRequest): boolean {
  return a.command === b.command && a.cwd === b.cwd && a.language === b.language
}

function ignore(): void {}
