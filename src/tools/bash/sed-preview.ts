import type { ToolContext, ToolResult } from '../../contract/tool/tool.js'
import { quoteForShell } from '../../shared/quote.js'
import type { CommandOutput } from '../commands/command-output.js'
import { parseSedEdit, type SedEdit } from './sed-edit.js'

/** A previewed edit. The file contents before and after it are stored as hashes, so that large files need no memory. */
interface SedPreview {
  readonly command: string
  readonly cwd: string
  readonly edit: SedEdit
  readonly before: string
  readonly after: string
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
  const [, textBefore, textAfter, diff] = match ?? []
  if (exitCode !== 0 || textBefore === undefined || textAfter === undefined || diff === undefined) return undefined
  previewsByContext.set(context, {
    command: command.text,
    cwd: context.cwd,
    edit,
    before: textBefore,
    after: textAfter,
    diff,
  })
  return textBefore === textAfter ? `No change in ${edit.file}.` : `Changes ${edit.file}:\n${diff}`
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

function describePreview({ edit, before, after }: SedPreview, exitCode: number | null): string {
  if (exitCode === CHANGED_EXIT_CODE)
    return `${edit.file} changed after the preview. Nothing was written. Read it again.`
  if (exitCode !== 0) return `${edit.file} could not be changed: sed or the replacement of the file failed.`
  return before === after
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
    `f=${quoteForShell(pathOf(file))}`,
    HASH_FUNCTION,
    `[ -f "$f" ] && [ "$(wc -c < "$f")" -le ${MAX_BYTES} ] && sed --version 2>&1 | grep -q "GNU sed" || exit 1`,
    `${sed} > /dev/null || exit 1`,
    `echo "$(h < "$f") $(${sed} | h)"`,
    `${sed} | diff -u --label ${quoteForShell(file)} --label ${quoteForShell(file)} -- "$f" - || true`,
  ].join('\n')
}

/** Returns a script that edits a copy of the file. The copy replaces the file only if both still match the preview. */
function createWriteScript({ edit: { file, args }, before, after }: SedPreview): string {
  return [
    `f=${quoteForShell(pathOf(file))}`,
    HASH_FUNCTION,
    '(',
    't=$(mktemp -- "$(dirname -- "$f")/.haft-sed-XXXXXX") || exit 1',
    `trap 'rm -f -- "$t"' EXIT`,
    'cp -p -- "$f" "$t" || exit 1',
    `sed -i ${args.map(quoteForShell).join(' ')} -- "$t" || exit 1`,
    `[ "$(h < "$t")" = ${after} ] && [ "$(h < "$f")" = ${before} ] || exit ${CHANGED_EXIT_CODE}`,
    'mv -f -- "$t" "$f"',
    ')',
  ].join('\n')
}

/** Returns a path that sed does not read as standard input or an option. */
function pathOf(file: string): string {
  return file.startsWith('/') ? file : `./${file}`
}
