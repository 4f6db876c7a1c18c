import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MAX_TOOL_RESULT_BYTES } from '../contract/limits.js'
import { type ToolResultBlock, textResult } from '../contract/messages.js'
import { toSentBlock } from './message-result.js'
import { persistResult } from './persist-result.js'

let root: string
let directory: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'haft-results-'))
  directory = join(root, 'session')
})
afterEach(() => rm(root, { recursive: true }))

async function persistAndSend(block: ToolResultBlock, maxResultSizeChars: number): Promise<ToolResultBlock> {
  return toSentBlock(await persistResult({ block, maxResultSizeChars }, directory))
}

test('a result as long as the limit of its tool is sent whole and leaves no file', async () => {
  const block = textResult('toolu_1', 'x'.repeat(30_000))

  expect(await persistAndSend(block, 30_000)).toEqual(block)
  await expect(readdir(directory)).rejects.toThrow('ENOENT')
})

test('a result over the limit of its tool is moved to a private file and replaced by a preview', async () => {
  const text = `${'a'.repeat(20_000)}\n${'é'.repeat(10_000)}`

  const block = await persistAndSend(textResult('toolu_1', text), 30_000)

  const path = join(directory, 'toolu_1.txt')
  expect(block).toEqual(
    textResult(
      'toolu_1',
      `[Long result: 30,001 characters (40,001 bytes); its start and end are below, the whole text is in ${path}. ` +
        'Read a range of that file, or search it with Grep.]\n' +
        `${'a'.repeat(1_500)}\n[… 28,001 characters omitted …]\n${'é'.repeat(500)}`,
    ),
  )
  expect(await readFile(path, 'utf8')).toBe(text)
  expect([(await stat(path)).mode & 0o777, (await stat(directory)).mode & 0o777]).toEqual([0o600, 0o700])
})

test('the limit of a tool counts characters, not bytes', async () => {
  const block = textResult('toolu_1', '漢'.repeat(30_000))

  expect(await persistAndSend(block, 30_000)).toEqual(block)
})

test('an error result is cut as well and stays an error', async () => {
  const block = await persistAndSend({ ...textResult('toolu_1', 'x'.repeat(101)), is_error: true }, 100)

  expect(block.is_error).toBe(true)
  expect(block.content).toContain('toolu_1.txt')
})

test('no tool can exceed the limit for all tools', async () => {
  const wholeBlock = textResult('toolu_1', 'x'.repeat(MAX_TOOL_RESULT_BYTES))

  expect(await persistAndSend(wholeBlock, 10_000_000)).toEqual(wholeBlock)
  expect((await persistAndSend(textResult('toolu_2', `${wholeBlock.content}x`), 10_000_000)).content).toContain(
    'toolu_2.txt',
  )
})

test.each([200_000, Number.POSITIVE_INFINITY])(
  'the limit for all tools counts bytes, even if the limit of the tool is %d',
  async (maxResultSizeChars) => {
    const maxChars = Math.floor(MAX_TOOL_RESULT_BYTES / 3)
    const wholeBlock = textResult('toolu_1', '漢'.repeat(maxChars))

    expect(await persistAndSend(wholeBlock, maxResultSizeChars)).toEqual(wholeBlock)
    expect(
      (await persistAndSend(textResult('toolu_2', '漢'.repeat(maxChars + 1)), maxResultSizeChars)).content,
    ).toMatch(/^\[Long result: 133,334 characters \(400,002 bytes\)/)
  },
)

test('a result of a tool with the limit Infinity is sent whole, or cut without a file above the limit for all tools', async () => {
  const wholeBlock = textResult('toolu_1', 'x'.repeat(MAX_TOOL_RESULT_BYTES))

  const keptBlock = await persistAndSend(wholeBlock, Number.POSITIVE_INFINITY)
  const cutBlock = await persistAndSend(textResult('toolu_2', `${wholeBlock.content}x`), Number.POSITIVE_INFINITY)

  expect(keptBlock).toEqual(wholeBlock)
  expect(cutBlock.content).toMatch(
    /^\[Long result: 400,001 characters .* results of this tool are never written to a file/,
  )
  await expect(readdir(directory)).rejects.toThrow('ENOENT')
})

test('images and documents keep their position, and the text around them is cut', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(900) } } as const
  const document = { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } } as const
  const first = { type: 'text', text: 'x'.repeat(200) } as const
  const second = { type: 'text', text: 'y'.repeat(300) } as const

  const block = await persistAndSend({ ...textResult('toolu_1', ''), content: [image, first, document, second] }, 100)

  expect(block.content).toEqual([image, { type: 'text', text: expect.stringContaining('toolu_1.txt') }, document])
  expect(await readFile(join(directory, 'toolu_1.txt'), 'utf8')).toBe(`${first.text}\n${second.text}`)
})

test('an image alone is never cut, however large', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(900) } } as const
  const block: ToolResultBlock = { ...textResult('toolu_1', ''), content: [image] }

  expect(await persistAndSend(block, 100)).toEqual(block)
})

test('an empty result is replaced by a description', async () => {
  expect(await persistAndSend(textResult('toolu_1', ''), 100)).toEqual(
    textResult('toolu_1', '(The call succeeded and had no output.)'),
  )
})

test.each(['../../escape', '/etc/cron.d/x', '..', 'a/../../b'])(
  'the file of a result with the id %j stays in the results folder',
  async (id) => {
    await persistAndSend(textResult(id, 'x'.repeat(200)), 100)

    expect(await readdir(root)).toEqual(['session'])
    expect(await readdir(directory)).toHaveLength(1)
  },
)

test('a different result with the same id gets another file, but the same result does not', async () => {
  const texts = ['x', 'y', 'z', 'x', 'y', 'z'].map((letter) => letter.repeat(200))

  const blocks: ToolResultBlock[] = []
  for (const text of texts) blocks.push(await persistAndSend(textResult('call_0', text), 100))

  expect(blocks.slice(3)).toEqual(blocks.slice(0, 3))
  const files = await readdir(directory)
  const contents = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')))
  expect(contents.sort()).toEqual(texts.slice(0, 3))
})

test('a link at the path of a result file is not followed', async () => {
  await mkdir(directory)
  const victimFolder = join(root, 'victim')
  // The text is as long as the target path of the link, because that is the reported size of a link.
  const text = 'x'.repeat(victimFolder.length)
  await writeFile(victimFolder, text)
  await symlink(victimFolder, join(directory, 'toolu_1.txt'))

  const block = await persistAndSend(textResult('toolu_1', text), 10)

  expect(block.content).toMatch(/toolu_1-[0-9a-f]{16}\.txt/)
})

test('if a result cannot be written to a file, the preview says that the rest is lost', async () => {
  await writeFile(directory, 'a file where the folder should be')

  const block = await persistAndSend(textResult('toolu_1', 'x'.repeat(5_000)), 100)

  expect(block.content).toBe(
    '[Long result: 5,000 characters (5,000 bytes); its start and end are below, the rest could not be stored ' +
      `(ENOTDIR: not a directory, open '${directory}/toolu_1.txt'). If you need more of it, request a smaller part.]\n` +
      `${'x'.repeat(1_500)}\n[… 3,000 characters omitted …]\n${'x'.repeat(500)}`,
  )
})

test('a result that was already replaced or sent is not changed again', async () => {
  const block = textResult('toolu_1', 'x'.repeat(200))
  const replacedResult = { block, maxResultSizeChars: 100, replacement: 'preview' }
  const earlierResult = { block, maxResultSizeChars: 100, isSent: true } as const

  expect(await persistResult(replacedResult, directory)).toBe(replacedResult)
  expect(await persistResult(earlierResult, directory)).toBe(earlierResult)
})

test.each([Number.NaN, 0, -1])(
  'a tool with the invalid result limit %d has the default limit',
  async (maxResultSizeChars) => {
    const wholeBlock = textResult('toolu_1', 'x'.repeat(50_000))

    expect(await persistAndSend(wholeBlock, maxResultSizeChars)).toEqual(wholeBlock)
    expect(
      (await persistAndSend(textResult('toolu_2', `${wholeBlock.content}x`), maxResultSizeChars)).content,
    ).toContain('toolu_2.txt')
  },
)
