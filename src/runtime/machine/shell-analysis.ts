import { type ShellAnalysis, unknownShell } from '../../permissions/facts/shell-analysis.js'
import type { RepositoryProbe } from '../../ports/repository/create-repository-probe.js'
import { analyseCommand, type CommandAnalysis } from '../../shell/analyse-command.js'

/** Analyses commands of this machine. Facts about git repositories are read from their files; no program is run. */
export function createShellAnalysis({
  home,
  environment,
}: {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
}): ShellAnalysis {
  let probe: Promise<RepositoryProbe> | undefined
  /** The last analysis, because a call is judged again after a hook or a question. */
  let last: { readonly command: string; readonly cwd: string; readonly found: CommandAnalysis } | undefined
  const openProbe = async () => {
    const { createRepositoryProbe } = await import('../../ports/repository/create-repository-probe.js')
    return createRepositoryProbe(environment)
  }
  return {
    analyse(request) {
      const { command, cwd, language } = request
      // Only Bash can be parsed.
      if (language === 'powershell') return unknownShell.analyse(request)
      if (last?.command === command && last.cwd === cwd) return last.found
      const found = analyseCommand(command, { cwd, home })
      if (found.repositories.length === 0) {
        last = { command, cwd, found }
        return found
      }
      probe ??= openProbe()
      return factsOf(probe, found.repositories).then((repositories) =>
        analyseCommand(command, { cwd, home, repositories }),
      )
    },
  }
}

async function factsOf(opened: Promise<RepositoryProbe>, folders: readonly string[]) {
  const probe = await opened
  return new Map(await Promise.all(folders.map(async (folder) => [folder, await probe.facts(folder)] as const)))
}
