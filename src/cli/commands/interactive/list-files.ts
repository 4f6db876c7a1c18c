import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findRipgrep } from '../../../ports/search/run-ripgrep.js'

const MAX_FILES = 200_000
const SKIPPED_FOLDERS = new Set(['node_modules', '.git'])

/** Lists the files of a folder for completion. Ignored files are left out if ripgrep is available. */
export async function* listFiles(cwd: string): AsyncGenerator<string> {
  // Only the bundled ripgrep is used, because PATH may contain a folder of the project.
  const ripgrep = await findRipgrep().catch(() => undefined)
  yield* ripgrep === undefined ? walk(cwd, '', { files: 0 }) : runRipgrep(ripgrep, cwd)
}

async function* runRipgrep(program: string, cwd: string): AsyncGenerator<string> {
  const child = spawn(program, ['--files', '--no-messages', '--no-config'], {
    cwd,
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // If ripgrep cannot be started, its output ends and the list stays empty.
  child.on('error', () => {})
  try {
    for await (const line of createInterface({ input: child.stdout })) yield line
  } finally {
    // Closing the pipe ends ripgrep.
    child.stdout.destroy()
  }
}

async function* walk(root: string, folder: string, total: { files: number }): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (total.files >= MAX_FILES) return
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) yield* walk(root, path, total)
    else if (entry.isFile()) {
      total.files++
      yield path
    }
  }
}
