import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Skill } from '../../contract/tool/context.js'
import { codeOf, readTextFile } from '../../settings/files/read-text-file.js'
import { realPath } from '../../settings/files/real-path.js'
import { isPathInside } from '../../shared/path-containment.js'
import { findFrontMatter, readFields } from './parse-front-matter.js'
import type { SkillRoot } from './skill-roots.js'

const FILE = 'SKILL.md'
/** What is read of each file to list it; the format keeps what stands there far below this. */
const HEAD_BYTES = 16_384
const LONGEST_DESCRIPTION = 1_024
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/

/** The skill in a folder, by the head of its file alone. Undefined where there is none; throws with one line where it cannot be used. */
export async function readSkill(folder: string, root: SkillRoot): Promise<Skill | undefined> {
  const file = join(folder, FILE)
  const head = await readHead(file)
  if (head === undefined) return undefined
  const realFolder = await realPath(folder)
  if (root.mustLieIn !== undefined && !isPathInside(realFolder, root.mustLieIn))
    throw new Error('is a link out of the project')
  await placeOf(file, realFolder)
  const { fields, body } = await readText(head)
  const name = [fields.name, basename(folder)].find(
    (each): each is string => typeof each === 'string' && NAME.test(each),
  )
  if (name === undefined) throw new Error('has no name of letters, digits, "-", "_", "." and ":", at most 64')
  const description = describe(fields.description) || describe(firstLine(body))
  if (description === '') throw new Error('has no description')
  return {
    name,
    description,
    skill: {
      file,
      folder: realFolder,
      isUserInvocableOnly: fields['disable-model-invocation'] === true,
      read: () => readInstructions(file, realFolder),
    },
  }
}

/** The first bytes of a regular file; a pipe or a device in its place never blocks. */
async function readHead(file: string): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new Error(`cannot be read (${code})`)
  })
  if (handle === undefined) return undefined
  try {
    if (!(await handle.stat()).isFile()) throw new Error('is not a regular file')
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Where the file really is: a link out of the folder could show the model any file. */
async function placeOf(file: string, realFolder: string): Promise<string> {
  const real = await realPath(file)
  if (!isPathInside(real, realFolder)) throw new Error('is a link out of its folder')
  return real
}

async function readText(head: string) {
  const found = findFrontMatter(head)
  if (found === 'open') throw new Error(`has front matter that does not end within ${HEAD_BYTES} bytes`)
  if (found === 'none') return { fields: {} as Readonly<Record<string, unknown>>, body: head }
  const fields = await readFields(found.yaml).catch((error: Error) => {
    throw new Error(`has front matter that cannot be read: ${error.message}`)
  })
  return { fields, body: head.slice(found.bodyStart) }
}

function describe(written: unknown): string {
  if (typeof written !== 'string') return ''
  return written.replace(/\s+/g, ' ').trim().slice(0, LONGEST_DESCRIPTION)
}

/** Older skills have no description: what their text begins with has to do. */
function firstLine(body: string): string | undefined {
  const lines = body.split('\n').map((line) => line.replace(/^[#\s]+/, '').trim())
  return lines.find((line) => line !== '')
}

/** Read anew each time: skills are edited while a conversation goes on. */
async function readInstructions(file: string, realFolder: string): Promise<string> {
  const read = await readTextFile(await placeOf(file, realFolder))
  if (read.kind === 'absent') throw new Error(`${file} is gone.`)
  if (read.kind === 'failed') throw new Error(`${file} ${read.reason}.`)
  const found = findFrontMatter(read.text)
  return (typeof found === 'string' ? read.text : read.text.slice(found.bodyStart)).trim()
}
