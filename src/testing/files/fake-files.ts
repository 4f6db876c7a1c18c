import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FilesPort } from '../../contract/ports/files.js'

/** A files port over a temporary folder. Pass `files` and `cwd` to `callTool`. */
export interface FakeFiles {
  readonly files: FilesPort
  /** The temporary folder. */
  readonly cwd: string
  readText(name: string): Promise<string>
  /** Removes the folder. */
  dispose(): Promise<void>
}

/** Creates a temporary folder with these files, and the port through which tools read and write it. */
export async function fakeFiles(contents: Readonly<Record<string, string | Uint8Array>> = {}): Promise<FakeFiles> {
  const { createFiles } = await import('../../ports/files/create-files.js')
  const root = await realpath(await mkdtemp(join(tmpdir(), 'haft-fake-files-')))
  const cwd = join(root, 'project')
  await mkdir(cwd)
  for (const [name, content] of Object.entries(contents)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true })
    await writeFile(join(cwd, name), content)
  }
  return {
    files: createFiles({ journalFolder: join(root, 'journal') }),
    cwd,
    readText: (name) => readFile(join(cwd, name), 'utf8'),
    dispose: () => rm(root, { recursive: true, force: true }),
  }
}
