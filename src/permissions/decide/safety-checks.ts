import { reachOf } from '../../contract/tool/reach.js'
import type { CallFacts } from '../facts/call-facts.js'
import { isWithin, type JudgedPath } from '../paths/judge-path.js'
import { normalisePath, shortenPath } from '../paths/normalise-path.js'
import { type Place, startDirOf } from '../paths/place.js'
import { findProtectedMention, findProtection } from '../paths/protected-files.js'

/** Describes a write that is always asked about, whatever the mode and allow rules. */
export function describeProtectedWrite({ writes, place, folders }: CallFacts): string | undefined {
  for (const path of writes) {
    const kind = findProtection(path, place.protectedPaths)
    const name = shortenPath(path.originalPath)
    if (kind !== undefined) return `${name} is ${kind}`
    // A folder that is written as a whole may contain protected files.
    if (/[\\/]$/.test(path.originalPath)) return `any file in ${name} may be written`
    if (containsSettings(path, place, folders)) return `${name} contains the settings that apply to this call`
    if (path.protectedFolder !== undefined) return `${name} contains ${path.protectedFolder}`
  }
  return undefined
}

/** Whether a path is or contains a working directory, the project or the home folder: moving it would move the settings with the rules. */
function containsSettings({ forms }: JudgedPath, place: Place, folders: readonly string[]): boolean {
  const guardedFolders = [startDirOf(place), place.projectDir ?? place.cwd, place.homeDir].map(
    (dir) => normalisePath(dir, place).path,
  )
  return [...guardedFolders, ...folders].some((folder) => forms.some((form) => isWithin(folder, form, true)))
}

/** Redirections to /dev/null or between streams write no file. */
const HARMLESS_REDIRECTIONS = /(?:\d|&)?>>?\s*\/dev\/null(?=[\s;|&)]|$)|\d?>&\d(?=[\s;|&)]|$)/g
const WRITE_OPERATOR = />|\btee\b/
/** A key such as `<Enter>` or `<C-c>`. No key types a redirection, and unknown keys are refused. */
const KEY = /^<(?:[A-Za-z0-9]+|[CMS]-[^>]+)>$/
/** An incomplete name of a hidden file, such as `~/.bash*`. */
const PARTIAL_HIDDEN_NAME = /(?:^|[\s/=])\.[\w.-]*[*?[{$`]/

/**
 * Explains why a command that was not understood is always asked about. It is unknown what such a command writes, so
 * any redirection and any mention of a protected file counts.
 */
export function describeUnresolvedWrite({
  command,
  areFilesUnknown,
  input,
  place,
  tool,
}: CallFacts): string | undefined {
  if (command === undefined || !areFilesUnknown) return undefined
  const typesKeys = reachOf(tool).typesKeystrokes
  const isPlain = (text: string) => !typesKeys || !KEY.test(text)
  const fullText = command.text.trim() === '' ? textsIn(input).filter(isPlain).join('\n') : command.text
  const text = fullText.replace(HARMLESS_REDIRECTIONS, ' ')
  const mention = findProtectedMention(text, place.protectedPaths)
  if (mention !== undefined) return `the command is not understood and names ${mention}`
  if (PARTIAL_HIDDEN_NAME.test(text)) return 'the command is not understood and may name a protected file'
  return WRITE_OPERATOR.test(text) ? 'the command is not understood and writes a file' : undefined
}

/** Returns all strings of an input whose command is in an unknown field. */
function textsIn(input: unknown): readonly string[] {
  const texts: string[] = []
  JSON.stringify(input, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts
}
