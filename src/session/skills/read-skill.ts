import { type FileHandle, lstat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Skill } from '../../contract/tool/context.js'
import type { FindReadRestriction } from '../../permissions/rules/find-read-restriction.js'
import { readHandle, type TextFile } from '../../settings/files/read-text-file.js'
import { resolveLinks } from '../../settings/files/resolve-real-path.js'
import { cutText } from '../../shared/cut-text.js'
import { isPathInside } from '../../shared/path-containment.js'
import { type JudgedFile, readJudgedFile } from '../read-judged-file.js'
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
  const realFolder = await resolveLinks(folder)
  const boundary = root.boundary
  if (boundary !== undefined && !isPathInside(realFolder, boundary)) {
    if (!(await exists(file))) return undefined
    throw new Error('is in a folder that a symbolic link places outside the project; move the skill into the project')
  }
  // A symbolic link that leads out of the folder could send any file to the model.
  const options = { boundary: realFolder, findRestriction }
  const headFile = await readJudgedFile(file, options, readHead)
  if (headFile.kind === 'absent') return undefined
  const head = requireRead(headFile)
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
      read: async () => readInstructions(await readJudgedFile(file, options, (handle) => readHandle(handle)), file),
    },
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined
}

async function readHead(handle: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEAD_BYTES), 0, MAX_HEAD_BYTES, 0)
  return buffer.toString('utf8', 0, bytesRead)
}

function requireRead<T>(file: Exclude<JudgedFile<T>, { kind: 'absent' }>): T {
  if (file.kind === 'outside') throw new Error('is a symbolic link to a file outside its folder')
  if (file.kind === 'restricted') throw new Error(`is not used: ${file.reason}`)
  if (file.kind === 'failed') throw new Error(file.reason)
  return file.value
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

/** Returns the first line of text: the description of older skills that have none in the front matter. */
function findFirstLine(body: string): string | undefined {
  const lines = body.split('\n').map((line) => line.replace(/^[#\s]+/, '').trim())
  return lines.find((line) => line !== '')
}

/** Reads the instructions of a skill. They are not cached, because skills may be edited during a conversation. */
function readInstructions(judgedFile: JudgedFile<Exclude<TextFile, { kind: 'absent' }>>, file: string): string {
  if (judgedFile.kind === 'absent') throw new Error(`${file} no longer exists.`)
  const textFile = requireRead(judgedFile)
  if (textFile.kind === 'failed') throw new Error(`${file} ${textFile.reason}.`)
  const frontMatter = findFrontMatter(textFile.text)
  return (typeof frontMatter === 'string' ? textFile.text : textFile.text.slice(frontMatter.bodyStart)).trim()
}
