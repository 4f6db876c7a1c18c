import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FindReadRestriction } from '../../permissions/rules/find-read-restriction.js'
import { readHandle } from '../../settings/files/read-text-file.js'
import { resolveLinks } from '../../settings/files/resolve-real-path.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { cutText } from '../../shared/cut-text.js'
import { fillPlaceholders } from '../../shared/fill-placeholders.js'
import { toPrintable } from '../../shared/printable.js'
import { readJudgedFile } from '../read-judged-file.js'
import { findFrontMatter, readFields } from '../skills/parse-front-matter.js'

/** Where `loadCommands` looks for commands, and how it reports problems. */
export interface LoadCommandsOptions {
  readonly projectRoot: string
  readonly home: string
  /** Whether the user trusts the project. Its commands are read only then. */
  readonly isTrusted: boolean
  /** Returns the rule that forbids reading a file without approval. The content is sent to the model without a call. */
  readonly findRestriction?: FindReadRestriction
  readonly onProblem?: (problem: string) => void
}

/** A slash command of the user or the project: a Markdown file that expands to a prompt. */
export interface CustomCommand {
  readonly name: string
  readonly description: string
  readonly argumentHint?: string
  readonly source: 'project' | 'user'
  /** Returns the prompt for these arguments. */
  expand(args: string): string
}

const COMMAND_FOLDERS = [join('.haft', 'commands'), join('.claude', 'commands')]
const MAX_FILES = 200
const MAX_DEPTH = 3
const MAX_DESCRIPTION_LENGTH = 200
const COMMAND_NAME = /^[A-Za-z0-9][\w.:-]{0,63}$/

/**
 * Loads the commands of the project and the user. If several have the same name, the first in this order takes
 * precedence.
 */
export async function loadCommands(options: LoadCommandsOptions): Promise<readonly CustomCommand[]> {
  const { projectRoot, home, isTrusted } = options
  const [realRoot, realHome] = await Promise.all([resolveLinks(projectRoot), resolveLinks(home)])
  const roots = [
    ...(isTrusted && realRoot !== realHome ? [{ folder: realRoot, source: 'project' as const }] : []),
    { folder: realHome, source: 'user' as const },
  ]
  const commands = new Map<string, CustomCommand>()
  for (const { folder, source } of roots) {
    for (const name of COMMAND_FOLDERS) {
      const boundary = source === 'project' ? realRoot : undefined
      const folderCommands = await readFolder(join(folder, name), [], { source, boundary, options })
      for (const command of folderCommands) if (!commands.has(command.name)) commands.set(command.name, command)
    }
  }
  return [...commands.values()].sort((a, b) => compareCodeUnits(a.name, b.name))
}

interface FolderContext {
  readonly source: CustomCommand['source']
  /** The folder that symbolic links must not lead out of; undefined if they may lead anywhere. */
  readonly boundary: string | undefined
  readonly options: LoadCommandsOptions
}

/** Reads a folder and its subfolders. A command in a subfolder is named `folder:file`. */
async function readFolder(
  folder: string,
  prefix: readonly string[],
  context: FolderContext,
): Promise<readonly CustomCommand[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  const firstEntries = entries.toSorted((a, b) => compareCodeUnits(a.name, b.name)).slice(0, MAX_FILES)
  const commands = await Promise.all(
    firstEntries.map(async (entry): Promise<readonly CustomCommand[]> => {
      if (entry.name.startsWith('.')) return []
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        return prefix.length + 1 >= MAX_DEPTH ? [] : readFolder(path, [...prefix, entry.name], context)
      }
      if (!/\.md$/i.test(entry.name)) return []
      return readCommand(path, [...prefix, entry.name.slice(0, -3)].join(':'), context)
    }),
  )
  return commands.flat()
}

async function readCommand(
  path: string,
  name: string,
  { source, boundary, options: { findRestriction, onProblem = () => {} } }: FolderContext,
): Promise<readonly CustomCommand[]> {
  const refuse = (reason: string): readonly CustomCommand[] => {
    onProblem(toPrintable(`Commands: ${path} ${reason}.`))
    return []
  }
  if (!COMMAND_NAME.test(name)) return refuse('has no valid name: use up to 64 letters, digits, "-", "_" and "."')
  const readFile = await readJudgedFile(path, { boundary, findRestriction }, (handle) => readHandle(handle))
  if (readFile.kind === 'absent') return []
  if (readFile.kind === 'outside') return refuse('is a symbolic link to a file outside the project')
  if (readFile.kind === 'restricted') return refuse(`is not used: ${readFile.reason}`)
  const file = readFile.kind === 'read' ? readFile.value : readFile
  if (file.kind === 'failed') return refuse(file.reason)
  const frontMatter = findFrontMatter(file.text)
  if (frontMatter === 'open') return refuse('has front matter without an end')
  const fields = frontMatter === 'none' ? {} : await readFields(frontMatter.yaml).catch(() => undefined)
  if (fields === undefined) return refuse('has front matter that cannot be parsed')
  const body = (frontMatter === 'none' ? file.text : file.text.slice(frontMatter.bodyStart)).trim()
  if (body === '') return refuse('is empty')
  const hint = fields['argument-hint']
  return [
    {
      name,
      source,
      description: toDescription(fields.description) || toDescription(body.split('\n')[0]?.replace(/^#+\s*/, '')),
      ...(typeof hint === 'string' && hint !== '' && { argumentHint: toPrintable(hint) }),
      expand: (args) => fillPlaceholders(body, { args, hasPositions: true }),
    },
  ]
}

function toDescription(value: unknown): string {
  if (typeof value !== 'string') return ''
  return cutText(toPrintable(value.replace(/\s+/g, ' ').trim()), MAX_DESCRIPTION_LENGTH)
}
