import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeProjectFolders } from '../../system/find-program.js'

type Variables = Readonly<Record<string, string | undefined>>

/** Returns the editor that the user prefers, with its arguments. */
export function readEditorCommand({ VISUAL, EDITOR }: Variables): string {
  return [VISUAL, EDITOR].find((command) => command !== undefined && command.trim() !== '') ?? 'vi'
}

/**
 * Edits a text in the user's editor. The editor needs the terminal, so call this within `Screen.runOutside`. Returns
 * undefined if the editor failed.
 */
export async function editExternally(text: string, variables: Variables): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'haft-prompt-'))
  const file = join(folder, 'prompt.md')
  try {
    await writeFile(file, text, { mode: 0o600 })
    if (!(await editFile(file, variables))) return undefined
    // Editors save a line break after the last line, which the prompt does not need.
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Opens a file in the user's editor, which needs the terminal. Returns whether the editor succeeded. */
export async function editFile(file: string, variables: Variables): Promise<boolean> {
  // The command may have arguments, so a shell reads it, as git does.
  const child = spawn('/bin/sh', ['-c', `${readEditorCommand(variables)} "$@"`, 'editor', file], {
    stdio: 'inherit',
    env: { ...variables, ...createPathVariable(variables) },
  })
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  return exitCode === 0
}

/**
 * Removes project folders from PATH, so that the project cannot provide the editor. Without PATH, the shell uses its
 * default.
 */
function createPathVariable({ PATH }: Variables): Variables {
  return PATH === undefined ? {} : { PATH: removeProjectFolders(PATH, [process.cwd()]) }
}
