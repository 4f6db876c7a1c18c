import type { PromptOptions } from '../../contract/tool/tool.js'

const INTRODUCTION = `Runs JavaScript in which every tool is an async function, for work with many calls, or whose results you need only in part: loop, filter, join and count in code. You see only what the code prints and the value of its last expression.

- await tools.Read({ file_path: "a.ts" }) calls a tool with its usual input and returns data, not text; Promise.all runs calls in parallel. A failed or denied call throws an Error with code and message. Rules, hooks and the user decide about each call as about yours.
- tools.list(), tools.search("words"): names and hints of all tools, also deferred ones and those of MCP servers. tools.describe("Name"): its declaration in TypeScript. All return promises. tools["a-b"] for other names.
- console.log(…) and text(…) print, image(result) shows an image.
- Top-level variables are kept for the next call; store(key, value) and load(key) keep data even if the interpreter is restarted.
- Plain JavaScript with top-level await and setTimeout; no TypeScript, imports or Node APIs.`

const RESULTS = `Results: Read: { type: "text", lines: string[], firstLine, hasMore }. Glob: { files }. Grep: { text }. Bash: { output, exitCode }; a failed command throws an Error whose data has the same fields.`

const REPL_MODE = `Bash, Read, Edit and the other basic tools are only available as functions in this code.`

/** Returns the prompt. In REPL mode it says that basic tools are only available in code. */
export function prompt({ tools }: PromptOptions): string {
  const hasPrimitives = tools.some(({ modes }) => modes?.repl === 'hidden')
  return [INTRODUCTION, RESULTS, ...(hasPrimitives ? [] : [REPL_MODE])].join('\n\n')
}
