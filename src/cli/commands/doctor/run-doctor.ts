import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { feature } from '../../../contract/build-flags.js'
import { version } from '../../../shared/version.js'
import { findProgram } from '../../../system/find-program.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import type { Finding } from './findings.js'
import { checkBrowser, checkLanguageServers, checkModel, checkSandbox, checkWebSearch } from './findings.js'
import { PROGRAMS, type Program } from './programs.js'

/** Checks the installation and suggests fixes. Fails only if a required program is missing. */
export async function runDoctor(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, { json: { type: 'boolean', default: false } })
  if (positionals.length > 0) throw new UsageError('doctor takes no arguments. See haft doctor --help.')
  const programs = PROGRAMS.filter(({ platforms }) => platforms?.includes(io.platform) ?? true)
  const findings = [
    checkNode(),
    ...programs.map((program) => checkProgram(program, io)),
    await checkSandbox(io),
    await checkWebSearch(io),
    ...(feature('WEB_BROWSER_TOOL') ? [await checkBrowser(io)] : []),
    await checkLanguageServers(io),
    checkHome(io),
    await checkModel(io),
  ]

  io.out(
    values.json ? `${JSON.stringify({ version, platform: io.platform, findings }, null, 2)}\n` : formatReport(findings),
  )
  return findings.some(({ status }) => status === 'needed') ? EXIT.failed : EXIT.done
}

function checkNode(): Finding {
  return { name: 'node', status: 'found', detail: process.versions.node }
}

function checkProgram(program: Program, io: CommandIo): Finding {
  const paths = program.commands.map((command) => findProgram(command, io.variables, io.platform))
  const path = paths.find((foundPath) => foundPath !== undefined)
  if (path !== undefined) return { name: program.name, status: 'found', detail: path }
  return {
    name: program.name,
    status: program.isRequired ? 'needed' : 'missing',
    detail: `${program.purpose}${suggestInstallation(program, io.platform)}`,
  }
}

function suggestInstallation({ packages }: Program, platform: string): string {
  if (platform === 'linux' && packages.apt !== '') return `; apt-get install ${packages.apt}`
  if (platform === 'darwin' && packages.brew !== '') return `; brew install ${packages.brew}`
  return ''
}

function checkHome({ homeDir }: CommandIo): Finding {
  if (homeDir === undefined) {
    return {
      name: 'settings',
      status: 'missing',
      detail: 'no home folder; set HOME to save settings',
    }
  }
  const folder = join(homeDir, '.haft')
  const existingFolder = existsSync(folder) ? folder : dirname(folder)
  try {
    accessSync(existingFolder, constants.W_OK)
    return { name: 'settings', status: 'found', detail: folder }
  } catch {
    const detail = `${folder} is not writable, so settings cannot be saved; change its permissions`
    return { name: 'settings', status: 'missing', detail }
  }
}

const STATUS_MARKS = { found: 'ok', missing: '--', needed: '!!' } as const

function formatReport(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.map(({ name, status, detail }) => `${STATUS_MARKS[status]}  ${name.padEnd(width)}  ${detail}`)
  const neededNames = findings.filter(({ status }) => status === 'needed').map(({ name }) => name)
  const hasModel = findings.some(({ name, status }) => name === 'model' && status === 'found')
  const readyText = hasModel ? 'Haft is ready.' : 'Haft is ready, but haft -p has no model; see the line "model" above.'
  const conclusion = neededNames.length === 0 ? readyText : `Haft needs ${neededNames.join(' and ')}.`
  return `haft ${version}\n\n${lines.join('\n')}\n\n${conclusion}\n`
}
