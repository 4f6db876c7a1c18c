import { basename, join } from 'node:path'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { codeOf, readTextFile } from '../../../settings/files/read-text-file.js'
import { resolveLinks } from '../../../settings/files/resolve-real-path.js'
import { settingsFileOf } from '../../../settings/files/settings-files.js'
import { changeSettingsFile } from '../../../settings/save/change-settings-file.js'
import { isProjectTrusted } from '../../../settings/trust.js'
import { isRecord } from '../../../shared/is-record.js'
import { writeNewFile } from '../../../system/write-file-atomically.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { NEW_SETTINGS } from './new-settings.js'

/** Runs `haft init`: writes AGENTS.md and a settings file. Existing files are kept. */
export async function runInit(io: CommandIo): Promise<number> {
  const { positionals } = parseOptions(io.args, {})
  if (positionals.length > 0)
    throw new UsageError('haft init has no arguments: change into the project folder and run it there.')
  const { cwd, homeDir: home } = await io.host()
  const projectRoot = await findProjectRoot({ cwd, home })
  if (projectRoot === (await resolveLinks(home)))
    throw new UsageError('this is the home folder. Change into a project folder and run haft init there.')
  const agentsFile = join(projectRoot, 'AGENTS.md')
  const settingsFile = settingsFileOf('projectSettings', { projectRoot, home })
  const hasNewAgentsFile = await writeUnlessExists(agentsFile, await draftInstructions(projectRoot))
  const hasNewSettings = await changeSettingsFile(settingsFile, (text) => text || NEW_SETTINGS, { projectRoot })
  const isTrusted = await isProjectTrusted(projectRoot, { home })
  io.out(
    [
      `${agentsFile}: ${hasNewAgentsFile ? 'written; complete it, every session reads it' : 'exists, unchanged'}`,
      `${settingsFile}: ${hasNewSettings ? 'written' : 'exists, unchanged'}`,
      ...(isTrusted ? [] : ['To use the settings of this project: haft trust']),
      '',
    ].join('\n'),
  )
  return EXIT.done
}

/** Writes a file unless its name is taken, even by a link that leads nowhere. */
async function writeUnlessExists(path: string, text: string): Promise<boolean> {
  try {
    await writeNewFile(path, text, { mode: undefined })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

const MAX_PROJECT_FILE_BYTES = 1024 * 1024

/** Files that show how a project is built, with the usual commands. */
const PROJECT_FILES: readonly { readonly name: string; readonly commands: readonly string[] }[] = [
  { name: 'Cargo.toml', commands: ['cargo build', 'cargo test'] },
  { name: 'go.mod', commands: ['go build ./...', 'go test ./...'] },
  { name: 'pyproject.toml', commands: ['python -m pytest'] },
  { name: 'Makefile', commands: ['make', 'make test'] },
  { name: 'pom.xml', commands: ['mvn verify'] },
]

const USUAL_SCRIPTS = ['build', 'test', 'lint', 'check', 'format', 'dev', 'start']

async function draftInstructions(projectRoot: string): Promise<string> {
  const commands = await findCommands(projectRoot)
  const lines =
    commands.length === 0 ? ['- (how to build, test and check this project)'] : commands.map((line) => `- \`${line}\``)
  return [
    `# ${basename(projectRoot)}`,
    '',
    'Instructions for agents that work on this project.',
    '',
    '## Commands',
    '',
    ...lines,
    '',
    '## Structure',
    '',
    '- (the important folders, and what belongs where)',
    '',
    '## Rules',
    '',
    '- (conventions that the code does not show, and what must not be changed)',
    '',
  ].join('\n')
}

async function findCommands(projectRoot: string): Promise<readonly string[]> {
  const read = (name: string) => readTextFile(join(projectRoot, name), MAX_PROJECT_FILE_BYTES)
  const [manifest, ...files] = await Promise.all([read('package.json'), ...PROJECT_FILES.map(({ name }) => read(name))])
  const scripts = manifest.kind === 'text' ? readScripts(manifest.text) : []
  return [
    ...scripts,
    ...PROJECT_FILES.flatMap(({ commands }, index) => (files[index]?.kind === 'text' ? commands : [])),
  ]
}

/** Returns the usual scripts of package.json as commands. Scripts with other names are not copied into the draft. */
function readScripts(text: string): readonly string[] {
  try {
    const manifest: unknown = JSON.parse(text)
    const scripts = isRecord(manifest) && isRecord(manifest.scripts) ? manifest.scripts : {}
    return USUAL_SCRIPTS.filter((name) => Object.hasOwn(scripts, name)).map((name) => `npm run ${name}`)
  } catch {
    // A malformed package.json only means that the draft names no scripts.
    return []
  }
}
