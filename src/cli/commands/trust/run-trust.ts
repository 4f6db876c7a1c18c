import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import {
  isProjectTrusted,
  listTrustedProjects,
  TrustError,
  trustProject,
  untrustProject,
} from '../../../settings/trust.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT, ExitError, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { describeTrust } from '../../tool-session/project-trust.js'

/** Runs `haft trust`: trusts this project, no longer trusts it, or lists the trusted projects. */
export async function runTrust(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    revoke: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    yes: { type: 'boolean', short: 'y', default: false },
  })
  if (positionals.length > 0)
    throw new UsageError('haft trust has no arguments: change into the project folder and run it there.')
  if (values.revoke && values.list) throw new UsageError('--revoke and --list cannot be combined.')
  const host = await io.host()
  try {
    if (values.list) return await list(io, host)
    return values.revoke ? await revoke(io, host) : await trust(io, host, values.yes)
  } catch (error) {
    if (!(error instanceof TrustError)) throw error
    throw new ExitError(EXIT.failed, error.message, { cause: error })
  }
}

async function list(io: CommandIo, { homeDir: home }: CommandHost): Promise<number> {
  const projects = await listTrustedProjects({ home })
  io.out(projects.length === 0 ? 'No project is trusted.\n' : `${projects.join('\n')}\n`)
  return EXIT.done
}

async function revoke(io: CommandIo, { cwd, homeDir: home }: CommandHost): Promise<number> {
  const projectRoot = await findProjectRoot({ cwd, home })
  const wasTrusted = await isProjectTrusted(projectRoot, { home })
  await untrustProject(projectRoot, { home })
  io.out(wasTrusted ? `${projectRoot} is no longer trusted.\n` : `${projectRoot} was not trusted.\n`)
  return EXIT.done
}

async function trust(io: CommandIo, host: CommandHost, isConfirmed: boolean): Promise<number> {
  const { cwd, homeDir: home } = host
  const projectRoot = await findProjectRoot({ cwd, home })
  if (await isProjectTrusted(projectRoot, { home })) {
    io.out(`${projectRoot} is already trusted.\n`)
    return EXIT.done
  }
  const effects = await describeTrust({ cwd, home })
  io.out(
    effects.length === 0
      ? `${projectRoot} contains no settings, hooks, servers or skills yet. Those added later will be used, too.\n`
      : `Trusting ${projectRoot} switches on:\n${effects.map((line) => `  ${line}\n`).join('')}`,
  )
  if (!isConfirmed && !(await confirm(host))) return EXIT.failed
  await trustProject(projectRoot, { home })
  io.out(`${projectRoot} is trusted. To undo this: haft trust --revoke\n`)
  return EXIT.done
}

async function confirm(host: CommandHost): Promise<boolean> {
  if (!host.isInteractive)
    throw new UsageError('nothing was changed, because there is no terminal to ask in. To trust it: haft trust --yes.')
  const answer = await host.readLine('Trust this folder? [y/N] ')
  return /^y(?:es)?$/i.test(answer?.trim() ?? '')
}
