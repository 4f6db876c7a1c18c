import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ToolUseBlock } from '../src/contract/messages.js'
import { createNotebook, FILE_CALLS, FILE_TOOLS, type FileCall } from '../src/testing/files/file-calls.js'
import { createLinkedTree, resetAndReadTree } from '../src/testing/files/linked-tree.js'
import {
  type CallConditions,
  type CallFixture,
  callConditions,
  createPlannedMessages,
  expectOneResultEach,
  pickMostlyFrom,
} from '../src/testing/files/one-result.js'
import { createPropertyOptions } from '../src/testing/property-runs.js'

const TIMEOUT_MS = 900_000

const tree = createLinkedTree()
const MISTAKES = [
  'unknown name',
  'wrong type',
  'half JSON',
  'no object',
  'missing field',
  'unknown field',
  'NUL',
] as const

interface CallPlan extends CallConditions {
  readonly call: FileCall
  readonly path: string
  readonly otherPath: string
  readonly mistake: 'nothing' | (typeof MISTAKES)[number]
}

const path = fc.constantFrom(...tree.names, 'book.ipynb', 'sub/book.ipynb', 'hard.txt', 'sub/hard.txt', '../away.txt')
const plan: fc.Arbitrary<CallPlan> = fc.record({
  ...callConditions,
  call: fc.constantFrom(...FILE_CALLS),
  path,
  otherPath: path,
  mistake: pickMostlyFrom<CallPlan['mistake']>(['nothing'], MISTAKES),
})

/** Real files: some can be read and edited, some need approval, some are denied. */
async function createFixture(): Promise<CallFixture<CallPlan>> {
  const files = await resetAndReadTree(tree)
  return {
    options: {
      ...{ tools: FILE_TOOLS, cwd: tree.root, ports: { files } },
      storage: { checkpointsDirectory: join(tree.root, '../kept') },
      permissions: {
        mode: 'acceptEdits',
        ask: ['Read(b.txt)', 'Edit(sub/**)'],
        deny: ['Read(there)', 'Edit(hard.txt)'],
      },
    },
    createBlock: ({ call, path: at, mistake }, index) => ({ ...createBlock(call, at, mistake), id: `call-${index}` }),
    changeInput: ({ call, otherPath }) => call.input(otherPath, 'one', 'two'),
    invalidInput: { file_path: 7 },
  }
}

function createBlock(call: FileCall, at: string, mistake: CallPlan['mistake']): Omit<ToolUseBlock, 'id'> {
  const input = call.input(at, 'one', 'ten')
  const [firstField = ''] = Object.keys(input)
  const block = { type: 'tool_use', name: call.tool } as const
  switch (mistake) {
    case 'unknown name':
      return { ...block, name: `${call.tool}s`, input }
    case 'wrong type':
      return { ...block, input: { ...input, [firstField]: [1] } }
    case 'half JSON':
      return { ...block, input: JSON.stringify(input).slice(0, -4) as never }
    case 'no object':
      return { ...block, input: null as never }
    case 'missing field':
      return { ...block, input: {} }
    case 'unknown field':
      return { ...block, input: { ...input, _simulatedSedEdit: {} } }
    case 'NUL':
      return { ...block, input: { ...input, [firstField]: 'a\0b' } }
    default:
      return { ...block, input }
  }
}

test(
  'whatever happens to calls of real tools, each has one result, in order, and no file is left half written',
  async () => {
    await fc.assert(
      fc.asyncProperty(createPlannedMessages(plan, 60), async (message) => {
        await expectOneResultEach(await createFixture(), message)
        expect(findUnexpectedFiles(tree.root)).toEqual([])
      }),
      createPropertyOptions(120),
    )
  },
  TIMEOUT_MS,
)

const FILE_NAMES = new Set([...tree.names, 'sub/hard.txt', 'book.ipynb'].flatMap((name) => name.split('/')))
const COMPLETE_TEXT = /^(?:(?:one|two|three|ten) (?:a|b|c|hard)|two|ten)$/

/** Files that no call should have created, and texts that are neither the old nor a new one. */
function findUnexpectedFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = join(folder, entry.name)
    if (!FILE_NAMES.has(entry.name)) return [at]
    if (entry.isDirectory()) return findUnexpectedFiles(at)
    if (!entry.isFile()) return []
    const text = readFileSync(at, 'utf8')
    return COMPLETE_TEXT.test(text) || NOTEBOOKS.has(text.replace(CELL_NAME, '"id": "one"')) ? [] : [`${at}: ${text}`]
  })
}

/** Edits of `one` may also change the id of the cell: once the cell contains `ten`, the id is the only match. */
const CELL_NAME = /"id": "(?:two|ten)"/
const NOTEBOOKS = new Set(['one', 'two', 'ten'].map(createNotebook))
