import type { ToolContext, ToolResult } from '../../contract/tool/tool.js'
import { quoteForShell } from '../../shared/quote.js'
import type { CommandOutput } from '../commands/command-output.js'

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
/** The flags that are allowed. `w`, which writes another file, and `e`, which executes the result, are not among them. */
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

/** A previewed edit. The file contents before and after it are stored as hashes, so that large files need no memory. */
interface SedPreview {
  readonly command: string
  readonly cwd: string
  readonly edit: SedEdit
  readonly hashBefore: string
  readonly hashAfter: string
  readonly diff: string
}

type Context = ToolContext<'shell'>

/** Keyed by the context of the call, because the model could set a field of the input. */
const previewsByContext = new WeakMap<Context, SedPreview>()

const PREVIEW_TIMEOUT_MS = 10_000
const MAX_BYTES = 10_000_000

/**
 * Previews a simple `sed -i` with sed itself and keeps the preview for the call. Returns undefined for any other command and
 * if the preview fails; the command then runs as usual.
 */
export async function previewSedEdit(context: Context): Promise<string | undefined> {
  previewsByContext.delete(context)
  const { command } = context
  const edit = parseSedEdit(command?.plainWords)
  if (command === undefined || edit === undefined) return undefined
  const { output, exitCode } = await context.shell.run(
    {
      id: `${context.toolUseId}-preview`,
      command: createPreviewScript(edit),
      cwd: context.cwd,
      timeoutMs: PREVIEW_TIMEOUT_MS,
      onTimeout: 'end',
      confinement: 'read-only',
    },
    { signal: context.signal },
  )
  const match = /^([0-9a-f]{64}) ([0-9a-f]{64})\n(.*)$/s.exec(output.text)
  const [, hashBefore, hashAfter, diff] = match ?? []
  if (exitCode !== 0 || hashBefore === undefined || hashAfter === undefined || diff === undefined) return undefined
  previewsByContext.set(context, {
    command: command.text,
    cwd: context.cwd,
    edit,
    hashBefore,
    hashAfter,
    diff,
  })
  return hashBefore === hashAfter ? `No change in ${edit.file}.` : `Changes ${edit.file}:\n${diff}`
}

/** Writes exactly what was previewed. Returns undefined if this command was not previewed. */
export async function writeSedEdit(command: string, context: Context): Promise<ToolResult<CommandOutput> | undefined> {
  const preview = previewsByContext.get(context)
  if (preview === undefined || preview.command !== command || preview.cwd !== context.cwd) return undefined
  const outcome = await context.shell.run(
    {
      id: context.toolUseId,
      command: createWriteScript(preview),
      cwd: context.cwd,
      timeoutMs: PREVIEW_TIMEOUT_MS,
      onTimeout: 'end',
    },
    { signal: context.signal },
  )
  const { exitCode, signal, output } = outcome
  const wasWritten = exitCode === 0
  const data = {
    exitCode,
    signal,
    output: wasWritten ? preview.diff : output.text,
    isFailure: !wasWritten,
    notes: [describePreview(preview, exitCode), ...outcome.refusals],
    receivedBytes: output.receivedBytes,
  }
  return { data }
}

const CHANGED_EXIT_CODE = 94

function describePreview({ edit, hashBefore, hashAfter }: SedPreview, exitCode: number | null): string {
  if (exitCode === CHANGED_EXIT_CODE)
    return `${edit.file} changed after the preview. Nothing was written. Read it again.`
  if (exitCode !== 0) return `${edit.file} could not be changed: sed or the replacement of the file failed.`
  return hashBefore === hashAfter
    ? `Nothing in ${edit.file} matched. The file is unchanged.`
    : `${edit.file} was changed as previewed.`
}

const HASH_FUNCTION = 'h() { sha256sum | cut -d " " -f 1; }'

/**
 * Returns a read-only script that prints the hashes before and after the edit, then the diff. The script fails if the path is
 * not a regular file, the file is too large, or sed is not GNU sed.
 */
function createPreviewScript({ file, args }: SedEdit): string {
  const sed = `sed ${args.map(quoteForShell).join(' ')} -- "$f"`
  return [
    `f=${quoteForShell(toSedPath(file))}`,
    HASH_FUNCTION,
    `[ -f "$f" ] && [ "$(wc -c < "$f")" -le ${MAX_BYTES} ] && sed --version 2>&1 | grep -q "GNU sed" || exit 1`,
    `${sed} > /dev/null || exit 1`,
    `echo "$(h < "$f") $(${sed} | h)"`,
    `${sed} | diff -u --label ${quoteForShell(file)} --label ${quoteForShell(file)} -- "$f" - || true`,
  ].join('\n')
}

/** Returns a script that edits a copy of the file. The copy replaces the file only if both still match the preview. */
function createWriteScript({ edit: { file, args }, hashBefore, hashAfter }: SedPreview): string {
  return [
    `f=${quoteForShell(toSedPath(file))}`,
    HASH_FUNCTION,
    '(',
    't=$(mktemp -- "$(dirname -- "$f")/.haft-sed-XXXXXX") || exit 1',
    `trap 'rm -f -- "$t"' EXIT`,
    'cp -p -- "$f" "$t" || exit 1',
    `sed -i ${args.map(quoteForShell).join(' ')} -- "$t" || exit 1`,
    `[ "$(h < "$t")" = ${hashAfter} ] && [ "$(h < "$f")" = ${hashBefore} ] || exit ${CHANGED_EXIT_CODE}`,
    'mv -f -- "$t" "$f"',
    ')',
  ].join('\n')
}

/** Returns a path that sed does not read as standard input or an option. */
function toSedPath(file: string): string {
  return file.startsWith('/') ? file : `./${file}`
}
