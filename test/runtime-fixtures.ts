import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import * as z from 'zod'
import type { ToolResultBlock, ToolUseBlock } from '../src/contract/messages.js'
import { buildTool } from '../src/contract/tool/build-tool.js'

/** Creates a call as a model makes it. */
export function call(name: string, input: unknown = {}, id = `${name}-1`): ToolUseBlock {
  return { type: 'tool_use', id, name, input }
}

export function textOf(result: ToolResultBlock | undefined): string {
  return typeof result?.content === 'string' ? result.content : JSON.stringify(result?.content)
}

/** Returns its input text; needs approval in default mode. */
export const Echo = buildTool({
  name: 'Echo',
  description: 'Returns a text',
  inputSchema: z.object({ text: z.string().default('') }),
  outputSchema: z.string(),
  toAutoClassifierInput: ({ text }) => text,
  async call({ text }) {
    return { data: text }
  },
})

/** Reads a real file and declares it as a resource. */
export const Read = buildTool({
  name: 'Read',
  description: 'Reads a file',
  needs: [],
  inputSchema: z.object({ path: z.string() }),
  outputSchema: z.string(),
  maxResultSizeChars: Number.POSITIVE_INFINITY,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  getPath: ({ path }) => path,
  resources: ({ path }) => ({ reads: [{ path }], writes: [] }),
  async call({ path }, { cwd }) {
    return { data: await readFile(resolve(cwd, path), 'utf8') }
  },
})

/** Writes a real file and declares it as a resource. */
export const Write = buildTool({
  name: 'Write',
  description: 'Writes a file',
  needs: [],
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  outputSchema: z.string(),
  getPath: ({ path }) => path,
  toAutoClassifierInput: ({ path }) => `write ${path}`,
  resources: ({ path }) => ({ reads: [], writes: [{ path }] }),
  async call({ path, text }, { cwd }) {
    await writeFile(resolve(cwd, path), text)
    return { data: `wrote ${path}` }
  },
})

/** Creates a promise and the functions that settle it. */
export function createDeferred<T = void>() {
  let resolvePromise: (value: T) => void = () => {}
  let rejectPromise: (error: unknown) => void = () => {}
  const promise = new Promise<T>((resolve, reject) => {
    resolvePromise = resolve
    rejectPromise = reject
  })
  return { promise, resolve: resolvePromise, reject: rejectPromise }
}
