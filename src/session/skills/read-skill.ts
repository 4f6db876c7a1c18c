import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Skill } from '../../contract/tool/context.js'
import { describeRestriction, type FindReadRestriction } from '../../permissions/rules/find-read-restriction.js'
import { codeOf, readTextFile } from '../../settings/files/read-text-file.js'
import { resolveLinks } from '../../settings/files/resolve-real-path.js'
import { cutText } from '../../shared/cut-text.js'
import { isPathInside } from '../../shared/path-containment.js'
import { findFrontMatter, readFields } from './parse-front-matter.js'
import type { SkillRoot } from './skill-roots.js'

const SKILL_FILE = 'SKILL.md'
/** Bytes read to list a skill. Real front matter is far shorter. */
const MAX_HEAD_BYTES = 16_384
const MAX_DESCRIPTION_LENGTH = 1_024
const SKILL_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/

/** Reads the skill in a folder from the head of its file. Undefined if there is none. Throws a one-line error if it is invalid. */
export async function readSkill(
  folder: string,
  root: SkillRoot,
  findRestriction?: FindReadRestriction,
): Promise<Skill | undefined> {
  const file = join(folder, SKILL_FILE)
  const head = await readHead(file)
  if (head === undefined) return undefined
  const realFolder = await resolveLinks(folder)
  if (root.boundary !== undefined && !isPathInside(realFolder, root.boundary))
    throw new Error('is in a folder that a symbolic link places outside the project; move the skill into the project')
  await requireReadable(file, realFolder, findRestriction)
  const { fields, body } = await parseHead(head)
  const name = [fields.name, basename(folder)].find(
    (candidate): candidate is string => typeof candidate === 'string' && SKILL_NAME.test(candidate),
  )
  if (name === undefined) throw new Error('has no valid name: use up to 64 letters, digits, "-", "_", "." and ":"')
  const description = toDescription(fields.description) || toDescription(findFirstLine(body))
  if (description === '') throw new Error('has no description: add one to its front matter')
  return {
    name,
    description,
    skill: {
      file,
      folder: realFolder,
      isUserInvocableOnly: fields['disable-model-invocation'] === true,
      read: async () => readInstructions(await requireReadable(file, realFolder, findRestriction), file),
    },
  }
}

/** Reads the first bytes of a regular file. Does not block on pipes and devices. */
async function readHead(file: string): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new Error(`cannot be read (${code})`)
  })
  if (handle === undefined) return undefined
  try {
    if (!(await handle.stat()).isFile()) throw new Error('is not a regular file')
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEAD_BYTES), 0, MAX_HEAD_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Returns the real path. Throws for a symbolic link that leads out of the folder, because it could send any file to the model. */
async function requireReadable(
  file: string,
  realFolder: string,
  findRestriction: FindReadRestriction | undefined,
): Promise<string> {
  const realFile = await resolveLinks(file)
  if (!isPathInside(realFile, realFolder)) throw new Error('is a symbolic link to a file outside its folder')
  const reason = await describeRestriction(file, findRestriction)
  if (reason !== undefined) throw new Error(`is not used: ${reason}`)
  return realFile
}

async function parseHead(head: string) {
  const frontMatter = findFrontMatter(head)
  if (frontMatter === 'open') throw new Error(`has front matter that does not end within ${MAX_HEAD_BYTES} bytes`)
  if (frontMatter === 'none') return { fields: {} as Readonly<Record<string, unknown>>, body: head }
  const fields = await readFields(frontMatter.yaml).catch((error: Error) => {
    throw new Error(`has front matter that cannot be parsed: ${error.message}`)
  })
  return { fields, body: head.slice(frontMatter.bodyStart) }
}

function toDescription(value: unknown): string {
  if (typeof value !== 'string') return ''
  return cutText(value.replace(/\s+/g, ' ').trim(), MAX_DESCRIPTION_LENGTH)
}

/** The first line of text: the description of older skills that have none in the front matter. */
function findFirstLine(body: string): string | undefined {
  const lines = body.split('\n').map((line) => line.replace(/^[#\s]+/, '').trim())
  return lines.find((line) => line !== '')
}

/** Not cached: skills may be edited during a conversation. */
async function readInstructions(realFile: string, file: string): Promise<string> {
  const textFile = await readTextFile(realFile)
  if (textFile.kind === 'absent') throw new Error(`${file} no longer exists.`)
  if (textFile.kind === 'failed') throw new Error(`${file} ${textFile.reason}.`)
  const frontMatter = findFrontMatter(textFile.text)
  return (typeof frontMatter === 'string' ? textFile.text : textFile.text.slice(frontMatter.bodyStart)).trim()
}
