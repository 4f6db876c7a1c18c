import { isCoreCommand, printsUnnamedFiles, readPlainScript } from '../../shell/programs/audited-core.js'
import { isWithin, type JudgedPath, toSlashes } from '../paths/judge-path.js'
import type { PathContext } from '../paths/normalise-path.js'

/** The parts of a command that decide whether it needs a sandbox. */
interface CommandPart {
  readonly argv: readonly { readonly text: string }[]
  readonly isReadOnly: boolean
  readonly areEffectsKnown: boolean
  readonly reads: readonly JudgedPath[]
}

interface CoreOptions {
  /** Whether a deny or ask rule is about reading certain files. */
  readonly restrictsReading: boolean
  /** Every spelling of the working directories. */
  readonly folders: readonly string[]
  readonly pathContext: PathContext
}

/**
 * Without a sandbox, nothing would stop a command that the analysis misjudges. So the effects of read-only commands outside
 * the audited core count as unknown, and those of commands that read through a link. Undefined if there are none.
 */
export function limitToCore<Part extends CommandPart>(
  text: string,
  commands: readonly Part[],
  options: CoreOptions,
): readonly Part[] | undefined {
  const isCore = options.restrictsReading ? isNamingCoreCommand : isCoreCommand
  const script = readPlainScript(text)
  const followsLink = ({ reads }: CommandPart) => reads.some((path) => isReadThroughLink(path, options))
  const isPlainCore = script?.every(isCore) === true && !commands.some(followsLink)
  if (isPlainCore || !commands.some((each) => each.isReadOnly && each.areEffectsKnown)) return undefined
  return commands.map((each) => {
    const isInCore = script !== undefined && isCore(each.argv.map((word) => word.text)) && !followsLink(each)
    return isInCore || !each.isReadOnly ? each : { ...each, areEffectsKnown: false }
  })
}

/** With rules for reading, git must not print files that the command does not name: only a sandbox could hide them. */
function isNamingCoreCommand(words: readonly string[]): boolean {
  return isCoreCommand(words) && !printsUnnamedFiles(words)
}

/**
 * Whether the content of a path in a working directory is read through a link there. The link may lead elsewhere when the
 * program opens it, and only a sandbox could prevent that.
 */
function isReadThroughLink(
  { targets, isNameOnly, isCaseInsensitive }: JudgedPath,
  { folders, pathContext }: CoreOptions,
): boolean {
  if (isNameOnly === true) return false
  const fold = (text: string) => (isCaseInsensitive ? text.toLowerCase() : text)
  return targets.some(([path, { realPath }]) => {
    const outerFolders = folders.filter((folder) => isWithin(path, folder, isCaseInsensitive))
    const plainPaths = outerFolders.flatMap((outer) => folders.map((folder) => folder + path.slice(outer.length)))
    const target = fold(toSlashes(realPath, pathContext))
    return plainPaths.length > 0 && !plainPaths.some((plainPath) => fold(plainPath) === target)
  })
}
