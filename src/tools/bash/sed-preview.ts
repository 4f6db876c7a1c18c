import type { ToolContext, ToolResult } from '../../contract/tool/tool.js'
import { quoteForShell } from '../../shared/quote-for-shell.js'
import type { CommandOutput } from '../commands/command-output.js'
import { parseSedEdit, type SedEdit } from './sed-edit.js'

/** What an edit was shown to do. The content is known by its hash, so that a file of any size costs nothing to keep. */
interface SedPreview {
  readonly command: string
  readonly cwd: string
  readonly edit: SedEdit
  readonly before: string
  readonly after: string
  readonly diff: string
}

type Context = ToolContext<'shell'>

/** By the context of the call: no field of the input, which a model could set, holds any of it. */
const previews = new WeakMap<Context, SedPreview>()

const PREVIEW_MS = 10_000
const MAX_BYTES = 10_000_000

/**
 * Finds out what a simple `sed -i` would change, by sed itself, and keeps it for the call that may follow.
 * Undefined where it is no such command, or cannot be shown: then it is a command like any other.
 */
export async function previewSedEdit(command: string, context: Context): Promise<string | undefined> {
  previews.delete(context)
  const edit = parseSedEdit(command)
  if (edit === undefined) return undefined
  const { output, exitCode } = await context.shell.run(
    {
      id: `${context.toolUseId}-preview`,
      command: previewScript(edit),
      cwd: context.cwd,
      timeoutMs: PREVIEW_MS,
      onTimeout: 'end',
      confinement: 'read-only',
    },
    { signal: context.signal },
  )
  const shown = /^([0-9a-f]{64}) ([0-9a-f]{64})\n(.*)$/s.exec(output.text)
  const [, before, after, diff] = shown ?? []
  if (exitCode !== 0 || before === undefined || after === undefined || diff === undefined) return undefined
  previews.set(context, { command, cwd: context.cwd, edit, before, after, diff })
  return before === after ? `It changes nothing in ${edit.file}.` : `It changes ${edit.file}:\n${diff}`
}

/** Writes what was shown and nothing else; undefined where nothing was shown for this very command. */
export async function writeSedEdit(command: string, context: Context): Promise<ToolResult<CommandOutput> | undefined> {
  const preview = previews.get(context)
  if (preview === undefined || preview.command !== command || preview.cwd !== context.cwd) return undefined
  const outcome = await context.shell.run(
    { id: context.toolUseId, command: writeScript(preview), cwd: context.cwd, timeoutMs: PREVIEW_MS, onTimeout: 'end' },
    { signal: context.signal },
  )
  const { exitCode, signal, output } = outcome
  const isDone = exitCode === 0
  const data = {
    exitCode,
    signal,
    output: isDone ? preview.diff : output.text,
    isFailure: !isDone,
    notes: [noteFor(preview, exitCode), ...outcome.refusals],
    receivedBytes: output.receivedBytes,
  }
  return { data }
}

const CHANGED = 94

function noteFor({ edit, before, after }: SedPreview, exitCode: number | null): string {
  if (exitCode === CHANGED)
    return `${edit.file} changed after the edit was shown, so nothing was written. Read it again.`
  if (exitCode !== 0) return `${edit.file} could not be written.`
  return before === after ? `Nothing in ${edit.file} matched; it is as it was.` : `${edit.file} was changed as shown.`
}

const HASH = 'h() { sha256sum | cut -d " " -f 1; }'

/** Only reads. Fails where what is there is no plain file, or is not the sed whose options these are. */
function previewScript({ file, args }: SedEdit): string {
  const sed = `sed ${args.map(quoteForShell).join(' ')} -- "$f"`
  return [
    `f=${quoteForShell(pathOf(file))}`,
    HASH,
    `[ -f "$f" ] && [ "$(wc -c < "$f")" -le ${MAX_BYTES} ] && sed --version 2>&1 | grep -q "GNU sed" || exit 1`,
    `${sed} > /dev/null || exit 1`,
    `echo "$(h < "$f") $(${sed} | h)"`,
    `${sed} | diff -u --label ${quoteForShell(file)} --label ${quoteForShell(file)} -- "$f" - || true`,
  ].join('\n')
}

/** Works on a copy, and lets it take the place of the file only if both are what they were when they were shown. */
function writeScript({ edit: { file, args }, before, after }: SedPreview): string {
  return [
    `f=${quoteForShell(pathOf(file))}`,
    HASH,
    '(',
    't=$(mktemp -- "$(dirname -- "$f")/.haft-sed-XXXXXX") || exit 1',
    `trap 'rm -f -- "$t"' EXIT`,
    'cp -p -- "$f" "$t" || exit 1',
    `sed -i ${args.map(quoteForShell).join(' ')} -- "$t" || exit 1`,
    `[ "$(h < "$t")" = ${after} ] && [ "$(h < "$f")" = ${before} ] || exit ${CHANGED}`,
    'mv -f -- "$t" "$f"',
    ')',
  ].join('\n')
}

/** So that `-` is a file of that name and not the input. */
function pathOf(file: string): string {
  return file.startsWith('/') ? file : `./${file}`
}
