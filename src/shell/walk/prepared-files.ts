import type { AnalysedCommand } from '../analysed-command.js'
import { findSpec } from '../families/index.js'
import { isOrdinaryProgram } from '../ordinary/find-ordinary-use.js'
import { joinPath } from '../words/scope.js'
import { baseNameOf } from './program-names.js'

/** Programs that never put new content into a file. */
const KEEPS_CONTENT = /^(?:chmod|chown|chgrp|touch|mkdir|rm|rmdir|unlink)$/
/** Names of files with output, which no program runs or reads as its configuration. */
const OUTPUT_FILE =
  /(?:^|\/)(?:[\w-][\w.-]*\.(?:log|tap)|nohup\.out|(?:out|output|results?|report|logs?|bench(?:mark)?|coverage|errors?|stdout|stderr|lint)[\w-]*\.txt)$/
/** Documents, which no hook of git runs. */
const DOCUMENT = /(?:^|\/)[\w-]+\.(?:txt|md|csv)$/

/**
 * Marks the ordinary commands of a line in which an earlier part writes, copies or downloads files: they may run these files, or
 * be configured by them. Parts that run at the same time or in a loop count as well.
 */
export function markPreparedFiles(
  commands: readonly AnalysedCommand[],
  isUnordered: boolean,
): readonly AnalysedCommand[] {
  if (commands.length < 2) return commands
  return commands.map((command, at) => {
    const { possible } = command
    if (possible === undefined || possible.runsAnything === true || possible.programsAt === undefined) return command
    const isHarmless = (path: string) =>
      OUTPUT_FILE.test(path) || (possible.runsNoFiles === true && !/(?:^|\/)\./.test(path) && DOCUMENT.test(path))
    const otherCommands = isUnordered ? commands : commands.slice(0, at)
    const mayBePrepared = otherCommands.some(
      (otherCommand) =>
        listWrittenFiles(otherCommand).some((path) => !isHarmless(path)) ||
        (otherCommand !== command && writesUnknownFiles(otherCommand)),
    )
    return mayBePrepared ? { ...command, possible: { ...possible, runsAnything: true, usesAnyFile: true } } : command
  })
}

function listWrittenFiles({ words, writes, redirects }: AnalysedCommand): readonly string[] {
  return KEEPS_CONTENT.test(words[0] ?? '') ? redirects : [...writes, ...redirects]
}

function writesUnknownFiles({ isReadOnly, possible, writesUnknownFile }: AnalysedCommand): boolean {
  if (writesUnknownFile === true) return true
  return !isReadOnly && possible !== undefined && possible.programsAt !== undefined && possible.changesFiles === true
}

/** Programs that are assumed neither to run files of their folder nor to be configured by them. */
const INDEPENDENT_PROGRAM =
  /^(?:git|gh|curl|wget|tar|zip|unzip|gzip|cp|mv|ln|rm|mkdir|touch|chmod|chown|kill|dd|install|split)$/
/** Names of sources and documents, without names that look like a configuration or a script for the build. */
const SOURCE_PATH =
  /\/(?!\.)(?![^/]*(?:conf|setup|rc|file|webpack|rollup|vite|plugin|hook|preset|build|manage|tasks|deploy|release|install))[\w-]+(?:\.(?:test|spec|d|stories|module))?\.(?:[cm]?[jt]sx?|css|scss|less|html|svg|md|txt|rst|vue|svelte|py|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift)$/i
/** Files in these folders matter only to a command that names them. */
const TEMPORARY_PATH = /^\/(?:tmp|var\/tmp|dev)\//
/** A word that names a file with a suffix, or an option for the output. */
const FILE_WORD = /[^./]\.[A-Za-z]\w*$|file$|^-[oO]|^--out/i

/**
 * Whether a command may run a file that an earlier part of the line wrote, for allow rules. If the file is a source and the
 * command an ordinary one, rules apply to both parts as they would to two separate calls.
 */
export function mayRunWrittenFile(commands: readonly AnalysedCommand[], start: string): boolean {
  const writtenFiles: WrittenFiles = { hasFile: false, hasSource: false, temporaryNames: [] }
  for (const command of commands) {
    if (isRunner(command) && mayRunOneOf(writtenFiles, command)) return true
    addWritten(writtenFiles, command, start)
  }
  return false
}

interface WrittenFiles {
  hasFile: boolean
  hasSource: boolean
  readonly temporaryNames: string[]
}

function isRunner({ words, possible, isReadOnly }: AnalysedCommand): boolean {
  const [program = ''] = words
  if (isReadOnly) return false
  return program.includes('/') || (possible !== undefined && !INDEPENDENT_PROGRAM.test(baseNameOf(program)))
}

function mayRunOneOf(writtenFiles: WrittenFiles, { words, possible, isElsewhere }: AnalysedCommand): boolean {
  const isProjectTool = possible?.programsAt?.length === 0
  if (writtenFiles.hasFile || (writtenFiles.hasSource && !isProjectTool)) return true
  const { temporaryNames } = writtenFiles
  if (temporaryNames.length === 0) return false
  return isElsewhere === true || temporaryNames.some((name) => words.some((word) => word.includes(name)))
}

function addWritten(writtenFiles: WrittenFiles, command: AnalysedCommand, start: string): void {
  for (const path of listWrittenFiles(command).map((writtenPath) => joinPath(start, writtenPath))) {
    if (TEMPORARY_PATH.test(path)) writtenFiles.temporaryNames.push(baseNameOf(path))
    else if (SOURCE_PATH.test(path)) writtenFiles.hasSource = true
    else writtenFiles.hasFile = true
  }
  const { words, possible, isReadOnly } = command
  if (isReadOnly || possible?.changesFiles !== true || possible.onlyReads === true) return
  const [program = '', ...args] = words
  const isKnownProgram = findSpec(program) !== undefined || isOrdinaryProgram(program)
  writtenFiles.hasFile ||= isKnownProgram || args.some((word) => FILE_WORD.test(word))
}
