/** A `sed -i` command for one file that can be previewed, because it only replaces and deletes text. */
export interface SedEdit {
  readonly file: string
  /** All arguments except `-i` and the file. */
  readonly args: readonly string[]
}

/**
 * Parses the plain words of a command such as `sed -i 's/a/b/' file`. Returns undefined for any form that may do more; such a
 * command runs as usual.
 */
export function parseSedEdit(plainWords: readonly string[] | undefined): SedEdit | undefined {
  const [program, ...words] = plainWords ?? []
  if (program !== 'sed') return undefined
  const { isInPlace, flags, scripts, operands } = takeOptions(words) ?? {}
  if (isInPlace !== true || flags === undefined || scripts === undefined || operands === undefined) return undefined
  const [first, ...others] = operands
  const allScripts = scripts.length > 0 ? scripts : first === undefined ? [] : [first]
  const files = scripts.length > 0 ? operands : others
  const [file] = files
  if (file === undefined || files.length !== 1 || !isOrdinaryName(file)) return undefined
  if (allScripts.length === 0 || !allScripts.every(isPlainSedScript)) return undefined
  return { file, args: [...flags, ...allScripts.flatMap((script) => ['-e', script])] }
}

interface SedOptions {
  readonly isInPlace: boolean
  readonly flags: readonly string[]
  readonly scripts: readonly string[]
  readonly operands: readonly string[]
}

/** One or more options without a value. `-Ei` means `-E -i`, but `-iE` would make a backup with the suffix E. */
const PLAIN_OPTION = /^-(?:-in-place|-regexp-extended|[Ern]*i|[Ern]+)$/

/**
 * Splits off the leading options. Returns undefined if an option follows an operand, because POSIXLY_CORRECT changes its
 * meaning.
 */
function takeOptions(words: readonly string[]): SedOptions | undefined {
  let isInPlace = false
  const flags: string[] = []
  const scripts: string[] = []
  let at = 0
  for (let word = words[at]; word !== undefined; word = words[at]) {
    if (word === '-e') scripts.push(words[++at] ?? '')
    else if (PLAIN_OPTION.test(word)) {
      isInPlace ||= word.endsWith('i') || word === '--in-place'
      flags.push(...splitFlags(word))
    } else break
    at += 1
  }
  const hasEndMark = words[at] === '--'
  const operands = words.slice(hasEndMark ? at + 1 : at)
  const hasLateOption = !hasEndMark && operands.some((operand) => operand.startsWith('-'))
  return hasLateOption ? undefined : { isInPlace, flags, scripts, operands }
}

function splitFlags(word: string): readonly string[] {
  if (word.startsWith('--')) return word === '--regexp-extended' ? ['-E'] : []
  return [...word.slice(1)].filter((letter) => letter !== 'i').map((letter) => (letter === 'n' ? '-n' : '-E'))
}

/** Rejects names that sed could misread, and network paths, which must not be accessed before approval. */
function isOrdinaryName(file: string): boolean {
  return file !== '' && !file.startsWith('-') && !/^[\\/]{2}/.test(file) && !file.includes('\n')
}

/** A line number, the last line, or a pattern of literal text. */
const ADDRESS_SOURCE = String.raw`(?:\d+|\$|/[\w :=,@%#-]+/)`
const ADDRESS_PATTERN = new RegExp(`^(?:${ADDRESS_SOURCE}(?:,(?:${ADDRESS_SOURCE}|\\+\\d+))?)?[ ]*`)
/** Excluded: the flags that write another file or execute the result. */
const SAFE_FLAGS = /^[gpiIm\d]*$/

/**
 * Whether a sed script only replaces and deletes text. The script runs for the preview, before the user is asked. So anything
 * that is not plainly harmless is rejected, and every delimiter must be where it is expected.
 */
function isPlainSedScript(script: string): boolean {
  if (isPlainCommand(script)) return true
  // Brackets may contain a delimiter, so a command could start elsewhere than at a semicolon.
  if (script.includes('[')) return false
  const commands = script.split(/[;\n]/)
  return commands.length > 1 && commands.every((command) => isPlainCommand(command))
}

function isPlainCommand(text: string): boolean {
  const trimmedText = text.trim()
  const address = ADDRESS_PATTERN.exec(trimmedText)?.[0] ?? ''
  const command = trimmedText.slice(address.length)
  if (command === 'd') return address !== ''
  return command.startsWith('s') && isPlainSubstitution(command)
}

/** Whether a substitution has exactly three delimiters, so that it can be parsed in only one way. */
function isPlainSubstitution(command: string): boolean {
  const delimiterChar = command.charAt(1)
  if (!/^[/|,#@%:!~+_]$/.test(delimiterChar)) return false
  const [, pattern, replacement, flags, ...extraParts] = command.split(delimiterChar)
  if (pattern === undefined || replacement === undefined || flags === undefined || extraParts.length > 0) return false
  if (pattern === '' || pattern.endsWith('\\') || replacement.endsWith('\\')) return false
  return !`${pattern}${replacement}`.includes('\n') && SAFE_FLAGS.test(flags)
}
