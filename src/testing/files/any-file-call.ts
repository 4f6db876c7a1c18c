import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import type { ToolUseBlock } from '../../contract/messages.js'
import { createPatch, FILE_CALLS, type FileCall } from './file-calls.js'
import { createToolFiles, type LinkedTree } from './linked-tree.js'
import type { NamedPaths } from './touched-files.js'

/** A call of a real tool and the paths that it names. */
export interface AnyFileCall extends NamedPaths {
  readonly name: string
  readonly input: Record<string, unknown>
}

/** Each text file contains one of these words, which calls replace, and a suffix that never changes. */
const WORDS = ['one', 'two', 'three', 'four', 'five'] as const

/** Generates calls of every tool on every name in the tree. Most edits find the text that they look for. */
export function generateFileCall(tree: LinkedTree): fc.Arbitrary<AnyFileCall> {
  const names = listNames(tree)
  const texts = readTexts(tree, names.file)
  const word = fc.constantFrom(...WORDS)
  /** Generates a text that the file may contain, and its replacement. */
  const generateChange = (path: string) => {
    const { firstWord, suffix } = texts.get(path) ?? EMPTY_TEXT
    const oldText = fc.oneof({ weight: 2, arbitrary: fc.constant(firstWord) }, { weight: 1, arbitrary: word })
    const changes = fc.tuple(oldText, word).filter(([from, to]) => from !== to)
    return changes.map(([from, to]) => [`${from}${suffix}`, `${to}${suffix}`] as const)
  }
  const singleCall = fc
    .constantFrom(...FILE_CALLS)
    .chain((call) => fc.tuple(fc.constant(call), fc.constantFrom(...names[call.on])))
    .chain(([call, path]) =>
      generateChange(path).map(([from, to]) => createCallOn(call, path, call.input(path, from, to))),
    )
  const fileChange = fc.constantFrom(...names.file).chain((path) => fc.tuple(fc.constant(path), generateChange(path)))
  const changeAndAddCall = fc
    .tuple(fileChange, fc.constantFrom('added.txt', 'linked/added.txt'))
    .map(([[path, [from, to]], added]) =>
      createPatchCall([path, added], '@@', `-${from}`, `+${to}`, `*** Add File: ${added}`, '+one n'),
    )
  const moveCall = fc
    .constantFrom('b.txt', 'sub/c.txt')
    .chain((path) => fc.tuple(fc.constant(path), generateChange(path)))
    .map(([path, [from, to]]) => createPatchCall([path, 'moved'], '*** Move to: moved', '@@', `-${from}`, `+${to}`))
  return fc.oneof(
    { weight: 9, arbitrary: singleCall },
    { weight: 1, arbitrary: changeAndAddCall },
    { weight: 1, arbitrary: moveCall },
  )
}

function createCallOn({ tool, does }: FileCall, path: string, input: Record<string, unknown>): AnyFileCall {
  return { name: tool, input, reads: [path], writes: does === 'writes' ? [path] : [] }
}

/** Creates a call of ApplyPatch that names several paths and changes the first. */
function createPatchCall(paths: readonly string[], ...lines: readonly string[]): AnyFileCall {
  const patch = createPatch(`Update File: ${paths[0]}`, ...lines)
  return { name: 'ApplyPatch', input: { patch }, reads: paths, writes: paths }
}

/**
 * Creates the block of a call. Each Read gets its own range, because a second Read of the same range is answered as unchanged.
 */
export function createBlock({ name, input }: AnyFileCall, index: number): ToolUseBlock {
  const ownInput = name === 'Read' ? { ...input, limit: 100 + index } : input
  return { type: 'tool_use', id: `call-${index}`, name, input: ownInput }
}

function listNames(tree: LinkedTree): Readonly<Record<FileCall['on'], readonly string[]>> {
  return {
    // No call can write to the working directory itself.
    file: [...tree.names.filter((name) => name !== '.'), 'hard.txt', 'sub/hard.txt', 'sub/../sub/hard.txt'],
    folder: ['.', 'sub', 'linked', 'sub/..', tree.root],
    notebook: ['book.ipynb', 'sub/book.ipynb', 'linked/book.ipynb', 'sub/../book.ipynb'],
  }
}

const EMPTY_TEXT = { firstWord: 'one', suffix: '' }

/** Returns the word and the suffix in each file right after the tree is created. */
function readTexts(tree: LinkedTree, names: readonly string[]): ReadonlyMap<string, typeof EMPTY_TEXT> {
  tree.reset()
  createToolFiles(tree.root)
  const files = names.filter((name) => statSync(resolve(tree.root, name), { throwIfNoEntry: false })?.isFile())
  return new Map(
    files.map((name) => {
      const [firstWord = '', suffix = ''] = readFileSync(resolve(tree.root, name), 'utf8').split(' ')
      return [name, { firstWord, suffix: ` ${suffix}` }]
    }),
  )
}
