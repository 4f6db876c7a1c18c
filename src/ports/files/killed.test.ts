import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFiles } from './create-files.js'

/** How many processes are killed, each in the middle of several writes. */
const KILL_COUNT = 25
const WRITER_COUNT = 8
const FILE_BYTES = 100_000
const FILE_NAMES = ['a', 'b', 'c']

let folder: string
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-killed-')))
  for (const [name, contents] of Object.entries(PROGRAM_SOURCES)) {
    await build({
      stdin: { contents, resolveDir: import.meta.dirname },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: join(folder, `${name}.mjs`),
      logLevel: 'error',
      external: ['@vscode/ripgrep'],
    })
  }
})
beforeEach(() => {
  for (let writer = 0; writer < WRITER_COUNT; writer++) {
    mkdirSync(join(folder, String(writer)), { recursive: true })
    for (const name of FILE_NAMES) writeFileSync(join(folder, String(writer), name), Buffer.alloc(FILE_BYTES, 'x'))
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The programs of the killed processes. Their writers run concurrently and print a line before each write. */
const PROGRAM_SOURCES = {
  one: `
    import { TemporaryFileCleaner } from './change/open-folder.ts'
    import { writeFile } from './change/write-file.ts'
    const cleaner = new TemporaryFileCleaner()
    async function write(path) {
      for (let turn = 0; ; turn++) {
        console.log(turn)
        await writeFile(path, Buffer.alloc(${FILE_BYTES}, String(turn % 10)), {}, cleaner)
      }
    }
    for (let writer = 0; writer < ${WRITER_COUNT}; writer++) write(process.argv[2] + '/' + writer + '/a')
  `,
  all: `
    import { createFiles } from './create-files.ts'
    const [folder] = process.argv.slice(2)
    const files = createFiles({ journalFolder: folder + '/journal' })
    async function write(folder) {
      for (let turn = 0; ; turn++) {
        console.log(turn)
        const content = Buffer.alloc(${FILE_BYTES}, String(turn % 10))
        await files.writeAll(['a', 'b', 'c'].map((name) => ({ kind: 'write', path: folder + '/' + name, content })))
      }
    }
    for (let writer = 0; writer < ${WRITER_COUNT}; writer++) write(folder + '/' + writer)
  `,
}

/** Kills a writing process after it has printed this many lines, in the middle of its next write. */
async function writeUntilKilled(programName: 'one' | 'all', lines: number): Promise<void> {
  const program = join(folder, `${programName}.mjs`)
  const child: ChildProcess = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closeEvent = once(child, 'close')
  if (child.stdout === null) throw new Error('The process has no stdout.')
  let printedLines = 0
  for await (const _ of createInterface({ input: child.stdout })) if (++printedLines >= lines) child.kill('SIGKILL')
  await closeEvent
}

/** Returns the character that fills the file; fails if the file contains different characters. */
function readUniform(writer: number, name: string): string {
  const content = readFileSync(join(folder, String(writer), name), 'latin1')
  const [first = ''] = content
  expect(content === first.repeat(FILE_BYTES)).toBe(true)
  return first
}

async function expectNoLeftovers(): Promise<void> {
  for (let writer = 0; writer < WRITER_COUNT; writer++) {
    const writerFolder = join(folder, String(writer))
    await createFiles({ journalFolder: join(folder, 'journal') }).write(join(writerFolder, 'a'), Buffer.from('end'))
    expect(readdirSync(writerFolder).sort()).toEqual(FILE_NAMES)
  }
}

test('a file has its complete old or new content, whenever its writer is killed', { timeout: 60_000 }, async () => {
  const finalContents = new Set<string>()
  for (let kill = 0; kill < KILL_COUNT; kill++) {
    await writeUntilKilled('one', 1 + kill * 2)
    for (let writer = 0; writer < WRITER_COUNT; writer++) finalContents.add(readUniform(writer, 'a'))
  }

  expect(finalContents.size).toBeGreaterThan(1)
  await expectNoLeftovers()
})

test('several files are all old or all new after the next start, whenever their writer is killed', {
  timeout: 60_000,
}, async () => {
  let recordCount = 0
  for (let kill = 0; kill < KILL_COUNT / 2; kill++) {
    await writeUntilKilled('all', 1 + kill * 2)
    recordCount += listJournalNames().length
    await createFiles({ journalFolder: join(folder, 'journal') }).read(join(folder, '0/a'))

    for (let writer = 0; writer < WRITER_COUNT; writer++) {
      expect(new Set(FILE_NAMES.map((name) => readUniform(writer, name))).size).toBe(1)
    }
    expect(listJournalNames()).toEqual([])
  }

  expect(recordCount).toBeGreaterThan(0)
  await expectNoLeftovers()
})

function listJournalNames(): readonly string[] {
  return existsSync(join(folder, 'journal')) ? readdirSync(join(folder, 'journal')) : []
}
