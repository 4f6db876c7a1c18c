import { commandOf } from '../../permissions/facts/command-of.js'
import type { ShellAnalysis, ShellRequest } from '../../permissions/facts/shell-analysis.js'
import type { CallScope } from '../call-scope.js'
import type { ValidatedCall } from '../call-states.js'

/**
 * Begins the analysis of a command, beside the hooks and the permission question. It is awaited only where a decision
 * needs it, and run again only for a command that somebody changed.
 */
export function classifyCommand({ tool, input }: ValidatedCall, scope: CallScope): void | Promise<void> {
  const command = commandOf(tool, scope.observe(input))
  if (command === undefined || command === '') return
  const { shell } = scope.host.decisionPorts
  const asked: ShellRequest = { command, cwd: scope.around.cwd, language: tool.commandLanguage }
  const facts = (async () => shell.analyse(asked))()
  scope.shell = begun(shell, asked, facts)
  // Where no decision comes to need it, its failure is nobody's.
  return facts.then(nothing, nothing)
}

function begun(shell: ShellAnalysis, asked: ShellRequest, facts: ReturnType<ShellAnalysis['analyse']>): ShellAnalysis {
  return {
    analyse: (request) => (isSame(request, asked) ? facts : shell.analyse(request)),
  }
}

function isSame(a: ShellRequest, b: ShellRequest): boolean {
  return a.command === b.command && a.cwd === b.cwd && a.language === b.language
}

function nothing(): void {}
