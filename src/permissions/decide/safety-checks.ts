import { getCapabilities } from '../../contract/tool/capabilities.js'
import type { CallFacts } from '../facts/call-facts.js'
import type { JudgedCommand } from '../facts/judge-command.js'
import type { GlobNames } from '../paths/glob-files.js'
import { isWithin, type JudgedPath } from '../paths/judge-path.js'
import { normalisePath, type PathContext, shortenPath, startDirOf } from '../paths/normalise-path.js'
import { findProtectedMatch, findProtectedMention, findProtection } from '../paths/protected-files.js'
import { describeLargeCommand } from './describe-need.js'

/** Describes a write that always needs approval, whatever the mode and the allow rules are. */
export function describeProtectedWrite(call: CallFacts): string | undefined {
  for (const path of call.writes) {
    const reason = path.globs === undefined ? describeWrite(path, call) : describePatternWrite(path, path.globs, call)
    if (reason !== undefined) return reason
  }
  return undefined
}

function describeWrite(path: JudgedPath, call: CallFacts): string | undefined {
  const { pathContext, folders } = call
  const name = shortenPath(path.originalPath)
  if (isDeleted(path, call) && containsSettings(path, pathContext, folders))
    return `it would delete ${name} and everything in it`
  const kind = findProtection(path, pathContext.protectedPaths)
  if (kind !== undefined) return `${name} is ${kind}`
  // A trailing slash means that any file in the folder may be written, including protected ones.
  if (/[\\/]$/.test(path.originalPath)) return `any file in ${name} may be written`
  if (containsSettings(path, pathContext, folders)) return `${name} contains the settings that apply to this call`
  return path.protectedFolder === undefined ? undefined : `${name} contains ${path.protectedFolder}`
}

/** Describes a write to files that a pattern selects. Those that exist are judged on their own. */
function describePatternWrite(path: JudgedPath, globs: readonly GlobNames[], call: CallFacts): string | undefined {
  const name = shortenPath(path.originalPath)
  const isEverything = globs.some((glob) => glob.length === 1 && glob[0]?.test('…') === true)
  if (isEverything && isDeleted(path, call) && containsSettings(path, call.pathContext, call.folders))
    return `it would delete everything in ${name}`
  const kind = findProtectedMatch(path, globs)
  return kind && `a pattern may match ${kind} in ${name}`
}

/** Whether a command in the script deletes this path. The tool may declare the same path, so objects are not compared. */
function isDeleted({ originalPath }: JudgedPath, { command }: CallFacts): boolean {
  return (
    command?.commands.some(
      ({ deletesFiles, writes }) => deletesFiles === true && writes.some((path) => path.originalPath === originalPath),
    ) === true
  )
}

/**
 * Whether a path is or contains a working directory, the project or the home folder. Moving or deleting it would move or
 * delete the settings that contain the rules.
 */
function containsSettings({ forms }: JudgedPath, pathContext: PathContext, folders: readonly string[]): boolean {
  const guardedFolders = [startDirOf(pathContext), pathContext.projectDir ?? pathContext.cwd, pathContext.homeDir].map(
    (dir) => normalisePath(dir, pathContext).path,
  )
  return [...guardedFolders, ...folders].some((folder) => forms.some((form) => isWithin(folder, form, true)))
}

/**
 * Describes a possible write to a protected file. It always needs approval, whatever the mode and the allow rules are, unless
 * a sandbox prevents it. A sandbox does so if only the name of the file is unknown.
 */
export function describeUnknownWrite(call: CallFacts, isConfined: boolean): string | undefined {
  const { command } = call
  if (command === undefined) return undefined
  const { analysis } = command
  if (analysis.isUnparsed) {
    if (analysis.text.length > MAX_SEARCHED_CHARS) return describeLargeCommand()
    const effect = describeUnparsedText(call, analysis.text)
    if (effect !== undefined)
      return analysis.isTooLarge ? describeLargeCommand(effect) : `the command is not understood${effect}`
  }
  const possibleWrite = describePossibleWrite(call)
  if (possibleWrite !== undefined) return possibleWrite
  if (isConfined) return undefined
  if (analysis.runsUnknownText)
    return analysis.isTooLarge ? describeLargeCommand() : 'the command runs text that is known only at run time'
  const unknownWriter = command.commands.find(({ writesUnknownFile }) => writesUnknownFile === true)
  return unknownWriter && `${nameOf(unknownWriter)} writes a file whose name is known only at run time`
}

/** Describes a protected file that a command names, if no table says what the command does with it. */
function describePossibleWrite({ command, pathContext }: CallFacts): string | undefined {
  for (const judgedCommand of command?.commands ?? []) {
    if (judgedCommand.possible === undefined || judgedCommand.possible.onlyReads === true) continue
    for (const path of pathsOf(judgedCommand)) {
      const kind = findProtection(path, pathContext.protectedPaths) ?? findRoot(path, pathContext)
      if (kind !== undefined)
        return `${nameOf(judgedCommand)} may write ${shortenPath(path.originalPath)}, which is ${kind}`
    }
    if (judgedCommand.possible.mayNameHiddenFile === true && !judgedCommand.isReadOnly)
      return describeHiddenWrite(judgedCommand, command?.analysis.isTooLarge === true)
  }
  return undefined
}

function describeHiddenWrite(command: JudgedCommand, isTooLarge: boolean): string {
  if (isTooLarge) return describeLargeCommand()
  return `${nameOf(command)} may write a protected file: its name is known only at run time`
}

/** Returns the paths that the words may name. A slash that is only a part of a word, as in `--separator=/`, is not a path. */
function pathsOf({ possiblePaths, possiblePartPaths, words }: JudgedCommand): readonly JudgedPath[] {
  const namesRoot = words.some((word) => word !== '' && /^[/.]*$|^~/.test(word))
  const paths = [...possiblePaths, ...possiblePartPaths]
  return namesRoot ? paths : paths.filter(({ originalPath }) => !/^[/]*$/.test(originalPath))
}

function findRoot({ forms }: JudgedPath, pathContext: PathContext): string | undefined {
  const homeDir = normalisePath(pathContext.homeDir, pathContext).path
  if (forms.includes(homeDir)) return 'the home folder'
  return forms.includes('/') ? 'the root of the file system' : undefined
}

function nameOf({ words }: JudgedCommand): string {
  const [program = 'the command'] = words
  return shortenPath(program)
}

/** Longer text is not searched for protected files, because that would block the event loop. */
const MAX_SEARCHED_CHARS = 300_000

/** Redirections to /dev/null or between streams, which write no file. */
const HARMLESS_REDIRECTIONS = /(?:\d|&)?>>?\s*\/dev\/null(?=[\s;|&)]|$)|\d?>&\d(?=[\s;|&)]|$)/g
const WRITE_OPERATOR = />|\btee\b/
/** A key such as `<Enter>` or `<C-c>`. No key types a redirection, and unknown keys are rejected elsewhere. */
const KEY = /^<(?:[A-Za-z0-9]+|[CMS]-[^>]+)>$/
/** An incomplete name of a hidden file, such as `~/.bash*`. */
const PARTIAL_HIDDEN_NAME = /(?:^|[\s/=])\.[\w.-]*[*?[{$`]/

/**
 * Describes how a command that was not parsed may write a protected file. Any redirection and any mention of such a file
 * counts.
 */
function describeUnparsedText({ input, pathContext, tool }: CallFacts, commandText: string): string | undefined {
  const typesKeys = getCapabilities(tool).typesKeystrokes
  const isPlain = (text: string) => !typesKeys || !KEY.test(text)
  const isTyped = commandText.trim() === ''
  const fullText = isTyped ? collectTexts(input).filter(isPlain).join('\n') : commandText
  const text = fullText.replace(HARMLESS_REDIRECTIONS, ' ')
  const mention = findProtectedMention(text, pathContext.protectedPaths?.(pathContext.cwd))
  if (mention !== undefined) return ` and names ${mention}`
  if (PARTIAL_HIDDEN_NAME.test(text)) return ' and may name a protected file'
  const unquotedText = isTyped ? text : removeQuoted(text)
  return WRITE_OPERATOR.test(unquotedText) ? ' and writes a file' : undefined
}

/** Removes quoted text, but keeps text after a quote that is not closed. */
function removeQuoted(text: string): string {
  const parts: string[] = []
  let keptStart = 0
  for (let at = findQuote(text, 0); at !== -1; at = findQuote(text, keptStart)) {
    const end = findClosingQuote(text, at)
    if (end === -1) break
    parts.push(text.slice(keptStart, at))
    keptStart = end + 1
  }
  return [...parts, text.slice(keptStart)].join(' ')
}

function findQuote(text: string, start: number): number {
  for (let at = start; at < text.length; at++) if (text[at] === '"' || text[at] === "'") return at
  return -1
}

function findClosingQuote(text: string, start: number): number {
  if (text[start] === "'") return text.indexOf("'", start + 1)
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return -1
}

/** Returns all strings in an input, because it is unknown which field contains the command. */
function collectTexts(input: unknown): readonly string[] {
  const texts: string[] = []
  JSON.stringify(input, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts
}
